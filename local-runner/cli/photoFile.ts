import { ServiceError } from '@lantern-room/base'
import { checkInspectedHead, openUnpacked } from '@lantern-room/formats/files'
import type { ByteSource } from '@lantern-room/mp4/source'
import type { MotionPhotoDependencies } from './compose'
import { about } from './failure'

/**
 * Does work on a motion photo or Live Photo of this machine.
 * @param work gets it by ranges, a compressed ZIP unpacked, and the bytes of the file
 * @throws ServiceError about the file, by its name; what `work` throws
 */
export async function withPhoto<T>(
  { files, limits }: MotionPhotoDependencies,
  path: string,
  work: (source: ByteSource, fileBytes: number) => Promise<T>,
): Promise<T> {
  return about(path, async () => {
    await files.readInputHead(path, checkInspectedHead)
    const source = await files.openPhoto(path)
    const { maxUploadBytes: most } = limits()
    if (source.size <= most) return work(await openUnpacked(source), source.size)
    throw new ServiceError('payload-too-large', `It is larger than ${most} bytes (MAX_UPLOAD_BYTES).`)
  })
}
