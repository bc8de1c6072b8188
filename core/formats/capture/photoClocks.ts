import { latin1 } from '@lantern-room/base/bytes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import type { ExifSummary } from '../exif/readExif'
import type { MotionPhoto } from '../motionPhoto/read'
import { isPlausible, parseMoment, parseOffset } from '../time/moment'

/** A time as a photo tells it. */
export type ShownTime = {
  /** Unix time in milliseconds; of a local time as if the clocks there showed UTC. */
  readonly unixMs: number
  /** Minutes ahead of UTC; undefined where the photo does not say. */
  readonly offsetMinutes: number | undefined
  /** Whether only what the clocks there showed is known. @default false */
  readonly isLocal?: boolean | undefined
}

/** The clocks of a photo. */
export type PhotoClocks = {
  /** The one of its camera: local time, or with its offset. */
  readonly time: ShownTime | undefined
  /** Unix time in milliseconds, which Samsung's phones add. */
  readonly moment?: number | undefined
  /** When satellites told its place: a minute or so before, in UTC. */
  readonly satellites?: number | undefined
}

/** The moment that Samsung's phones write behind a picture, as digits. @see exiftool, Samsung.pm */
const UTC_BLOCK = 0x0a01
const MAX_DIGITS = 15

/** The clocks of a photo that is `file`. */
export function* readPhotoClocks(
  file: Sized,
  { exif, samsung }: Pick<MotionPhoto, 'exif' | 'samsung'>,
): Reading<PhotoClocks> {
  const block = samsung?.blocks.find(({ type, length }) => type === UTC_BLOCK && length <= MAX_DIGITS)
  const digits = block ? latin1(yield* take(file, block.offset, block.offset + block.length)) : ''
  const moment = /^\d{12,14}$/.test(digits) ? Number(digits) : undefined
  const satellites = parseMoment(`${exif?.gpsDate} ${exif?.gpsTime}`)?.unixMs
  return {
    time: timeOfExif(exif),
    moment: moment !== undefined && isPlausible(moment) ? moment : undefined,
    satellites: satellites !== undefined && isPlausible(satellites) ? satellites : undefined,
  }
}

/** Local time, with its offset if the photo says it. */
function timeOfExif(exif: ExifSummary | undefined): ShownTime | undefined {
  const { dateTimeOriginal, dateTimeDigitized, subSecOriginal, offsetTime = '' } = exif ?? {}
  const written = dateTimeOriginal?.trim() ? dateTimeOriginal : dateTimeDigitized
  const fraction = written === dateTimeOriginal ? /^\d{1,9}/.exec(subSecOriginal ?? '') : undefined
  const local = written && parseMoment(`${written}${fraction ? `.${fraction[0]}` : ''}`)
  if (!local || !isPlausible(local.unixMs)) return undefined
  const offsetMinutes = parseOffset(offsetTime.trim())
  if (offsetMinutes === undefined) return { ...local, isLocal: true }
  return { unixMs: local.unixMs - offsetMinutes * 60_000, offsetMinutes }
}
