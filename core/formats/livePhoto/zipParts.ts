import { type FileParts, type Reading, readThrough, sizeOfParts, take } from '@lantern-room/mp4/source'
import type { MotionPhoto } from '../motionPhoto/read'
import { crc32, type ZipMember, zipOf } from '../zip/zip'

/** A file that is to be written, made of ranges of another one. */
export type PlannedFile = { readonly name: string; readonly parts: FileParts }

/** Bytes that are summed up at once. */
const CHUNK_BYTES = 256 * 1024

/**
 * Plans a ZIP of files, without compression. They are read once, for their check sums.
 * @param photo whose time the files get
 * @throws RangeError when they have 4 GiB or more
 */
export function* planZip(
  files: readonly PlannedFile[],
  { exif }: Pick<MotionPhoto, 'exif'>,
): Reading<FileParts> {
  const members: ZipMember<FileParts[number]>[] = []
  for (const { name, parts } of files) {
    members.push({ name, size: sizeOfParts(parts), crc: yield* checksumOf(parts), pieces: parts })
  }
  return zipOf(members, zipTime(exif?.dateTimeOriginal ?? exif?.dateTime))
}

function* checksumOf(parts: FileParts): Reading<number> {
  const size = sizeOfParts(parts)
  let crc = 0
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    crc = crc32(yield* readThrough(take({ size }, start, start + CHUNK_BYTES), parts), crc)
  }
  return crc
}

/** A time as EXIF writes it; without one, the first that a ZIP can have. */
function zipTime(text = '') {
  const [year = 1980, month = 1, day = 1, hour = 0, minute = 0, second = 0] =
    /^(\d{4}):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)/.exec(text)?.slice(1).map(Number) ?? []
  return { year, month, day, hour, minute, second }
}
