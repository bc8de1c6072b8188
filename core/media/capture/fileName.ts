import type { CaptureTime } from '../traits'
import { isPlausible, timeOfParts } from './moment'

/**
 * What the names of files tell: names that phones, recorders and chat programs give to videos.
 * `VID_20240114_153012.mp4`, `20240114_153012.mp4`, `VID20240114153012.mp4`, `DJI_20240114153012_0001_D.MP4`,
 * `Screen_Recording_20240114_153012_App.mp4`, `Screenrecorder-2024-01-14-15-30-12-123.mp4`, `2024-01-14 15.30.12.mp4`,
 * `WhatsApp Video 2024-01-14 at 3.30.12 PM.mp4`, `Desktop 2024.01.14 - 15.30.12.05.DVR.mp4`
 */
const DATE_AND_TIME =
  /(?<!\d)((?:19|20)\d\d)([-_.: ]?)(\d\d)\2(\d\d)(?:\s+at\s+|[ _.T~-]{0,3})(\d\d|\d(?=\D))([-_.: ]?)(\d\d)\6(\d\d)(?:[-_.]?(\d{2,3}))?(?!\d)(Z|\s?[AP]M)?/i

/** `VID-20230114-WA0007.mp4` */
const DATE = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)(?!\d)/

/** Unix time in milliseconds, as in `wx_camera_1705246212345.mp4` and `mmexport1705246212345.mp4`, or iOS's in seconds. */
const UNIX_TIME = /(?<!\d)(1\d{12})(?!\d)|^RPReplay_Final(\d{10})(?!\d)/

/** The names of Pixel phones and Zoom are in UTC. */
const IN_UTC = /^(PXL_|GMT)/i

/**
 * When a video was recorded, by the name of its file.
 * @param name without folders
 * @returns undefined for a name without a date that can be
 */
export function timeInName(name: string): CaptureTime | undefined {
  // iOS 18 begins with the month.
  const text = name.replace(/^(ScreenRecording_)(\d\d-\d\d)-(\d{4})/, '$1$3-$2')
  return [dateAndTime(text), unixTime(text), date(text)].find((time) => time && isPlausible(time.unixMs))
}

function dateAndTime(text: string): CaptureTime | undefined {
  const [, year, , month, day, hour = '', , minute, second, fraction, mark = ''] =
    DATE_AND_TIME.exec(text) ?? []
  const half = /[AP](?=M)/i.exec(mark)?.[0].toUpperCase()
  // Twelve o'clock at night is 12 AM.
  const hour24 = half === undefined ? hour : String((Number(hour) % 12) + (half === 'P' ? 12 : 0))
  const unixMs = timeOfParts([year, month, day, hour24, minute, second, fraction])
  if (unixMs === undefined) return undefined
  const isUtc = IN_UTC.test(text) || mark.toUpperCase() === 'Z'
  return { unixMs, offsetMinutes: undefined, ...(!isUtc && { isLocal: true }) }
}

function unixTime(text: string): CaptureTime | undefined {
  const [match, milliseconds, seconds] = UNIX_TIME.exec(text) ?? []
  if (match === undefined) return undefined
  const unixMs = milliseconds === undefined ? Number(seconds) * 1000 : Number(milliseconds)
  return { unixMs, offsetMinutes: undefined }
}

function date(text: string): CaptureTime | undefined {
  const [, year, , month, day] = DATE.exec(text) ?? []
  const unixMs = timeOfParts([year, month, day])
  return unixMs === undefined ? undefined : { unixMs, offsetMinutes: undefined, isLocal: true }
}

/** Names that programs give to files without one, and iOS to what it has cut. They would say nothing of a photo. */
const PLACEHOLDER =
  /^(|-|blob|file|upload|video|movie|clip|image|input|original|untitled|(trim\.)?[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i

/** Names of devices, to which Windows writes no file. */
const RESERVED = /^(con|prn|aux|nul|(com|lpt)[\d¹²³])(\.|$)/i

/** Bytes in UTF-8. File systems allow 255, of which the ending and marks of several files of one photo need some. */
const MAX_STEM_BYTES = 120

/**
 * The name under which a video was sent, without its ending and the mark of a motion photo, as a file of any system may be
 * called.
 * @returns undefined for one that says nothing
 */
export function stemOf(name: string): string | undefined {
  const base = name.replace(/^.*[/\\]/s, '').normalize('NFC')
  const stem = base
    .replace(/[\p{C}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .replace(/\.[a-z\d]{1,5}$/i, '')
    // Browsers write quotes and line ends of a name so.
    .replaceAll(/[<>:"|?*]|%(?:22|0[AD])/gi, '_')
  const plain = withoutPhotoMark(stem)
  const { read } = new TextEncoder().encodeInto(plain, new Uint8Array(MAX_STEM_BYTES))
  const short = plain.slice(0, read).replace(/^[. ]+|[. ]+$/g, '')
  if (PLACEHOLDER.test(short)) return undefined
  return RESERVED.test(short) ? `_${short}` : short
}

/** A stem without `_MP` or `.MP` at its end, which becomes part of the name again; also before the number of a copy. */
export function withoutPhotoMark(stem: string): string {
  return stem.replace(/(?:[._]MP)+( ?\(\d+\))?$/i, '$1')
}
