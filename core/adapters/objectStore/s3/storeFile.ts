import { open } from 'node:fs/promises'
import { onDisk } from '../disk/fileErrors'
import type { Bucket } from './bucket'
import { readExactly, uploadInParts } from './partedUpload'
import { newTarget, putObject } from './writeObject'

/** Stores a local file. Memory holds at most a few parts of it, whatever its size. */
export async function storeFile(
  bucket: Bucket,
  name: string,
  path: string,
  { contentType, partBytes }: { readonly contentType: string; readonly partBytes: number },
): Promise<void> {
  const handle = await onDisk(() => open(path, 'r'))
  try {
    const { size } = await handle.stat()
    if (size > partBytes)
      return await uploadInParts(bucket, newTarget(name, contentType), { handle, size }, partBytes)
    const bytes = new Uint8Array(size)
    await readExactly(handle, bytes, 0)
    await putObject(bucket, name, bytes, contentType)
  } finally {
    await handle.close()
  }
}
