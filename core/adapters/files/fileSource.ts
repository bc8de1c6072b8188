import { ServiceError } from '#core/errors'
import { type ByteSource, rangedSource } from '#core/formats/source/byteSource'
import { onDisk } from '../objectStore/disk/fileErrors'
import { type OpenFile, readRange, withFile } from '../objectStore/disk/fileRange'

/**
 * A file of this machine whose bytes are read by range. It is opened for each read, so that nothing needs to be closed.
 * @throws ServiceError `not-found` when there is no such file, `unavailable` when it cannot be read
 */
export async function openFileSource(path: string): Promise<ByteSource> {
  const size = await reading(path, async (file) => file.size)
  return rangedSource(size, (start, end) => reading(path, (file) => readRange(file, start, end - start)))
}

async function reading<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
  const result = await onDisk(() => withFile(path, use))
  if (result === undefined) throw new ServiceError('not-found', 'There is no such file any more.')
  return result
}
