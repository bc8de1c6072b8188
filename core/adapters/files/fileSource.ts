import { ServiceError } from '#core/errors'
import { type ByteSource, rangedSource } from '#core/formats/source/byteSource'
import { onDisk } from '../objectStore/disk/fileErrors'
import { type OpenFile, openFile, readRange } from '../objectStore/disk/fileRange'

/**
 * A file of this machine whose bytes are read by range. It is opened for each read, so that nothing needs to be closed.
 * @throws ServiceError `not-found` when there is no such file, `unavailable` when it cannot be read
 */
export async function openFileSource(path: string): Promise<ByteSource> {
  const size = await withFile(path, async (file) => file.size)
  return rangedSource(size, (start, end) => withFile(path, (file) => readRange(file, start, end - start)))
}

function withFile<T>(path: string, use: (file: OpenFile) => Promise<T>): Promise<T> {
  return onDisk(async () => {
    const file = await openFile(path)
    if (!file) throw new ServiceError('not-found', 'There is no such file any more.')
    try {
      return await use(file)
    } finally {
      await file.handle.close()
    }
  })
}
