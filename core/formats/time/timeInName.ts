import { type ClockInName, clockAfter } from './clockInName'
import { type DayInName, daysIn } from './dayInName'
import { isPlausible, parseOffset, timeOfParts } from './moment'

/** When a video was recorded, by the name of its file. */
export type NamedTime = {
  /** Unix time in milliseconds; of a local time and of a day as if they were in UTC. */
  readonly unixMs: number
  /** Minutes ahead of UTC, in the few names that say it. */
  readonly offsetMinutes: number | undefined
  /** What clocks showed, a moment, or a day alone. */
  readonly says: 'local' | 'moment' | 'day'
  /** Whether it is when a message came, which may be long after the recording. */
  readonly isOfMessage: boolean
}

type Found = Omit<NamedTime, 'isOfMessage'>

const DAY_MS = 24 * 3600 * 1000

/**
 * When a video was recorded, by the name of its file: docs/motion-photo.md, "Names of files", lists the kinds.
 * @param name without folders
 * @param now Unix time in milliseconds; what is later than tomorrow is no date
 * @returns undefined for a name without a date that can be
 * @example timeInName('VID_20240506_153010.mp4', Date.now())?.says // 'local'
 */
export function timeInName(name: string, now: number): NamedTime | undefined {
  const text = plainText(name)
  const days = daysIn(text)
  const found = firstOf(days, (day) => timeOf(text, day)) ?? unixTime(text) ?? firstOf(days, dayAlone)
  const isTrue = found && isPlausible(found.unixMs) && found.unixMs < now + DAY_MS
  return isTrue ? { ...found, isOfMessage: OF_MESSAGE.test(text) } : undefined
}

/** Chat programs name a file after the message with which it came. */
const OF_MESSAGE =
  /whats ?app|-WA\d{4}|(?:VIDEO|PHOTO)-\d{4}-\d\d-\d\d-|^signal|^telegram|^video_\d{4}-\d\d-\d\d_|@\d\d-\d\d-\d{4}_|mmexport|微信|wechat|^QQ|kakaotalk|^FB_|^LINE_/i

/** No file system has longer names. */
const MAX_NAME_LENGTH = 255
/** Any digits can be in one. */
const HASH = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|(?<![\da-z])(?=\d*[a-f])[\da-f]{20,}(?![\da-z])/gi

/** A name with plain spaces and digits, without its ending and hashes. */
function plainText(name: string): string {
  return name
    .slice(0, MAX_NAME_LENGTH)
    .normalize('NFKC')
    .replace(/\.(?=\d*[a-z])[a-z\d]{2,5}$/i, '')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replaceAll(HASH, '#')
}

function firstOf<Item, Value>(items: readonly Item[], read: (item: Item) => Value | undefined) {
  for (const item of items) {
    const value = read(item)
    if (value !== undefined) return value
  }
  return undefined
}

function timeOf(text: string, day: DayInName): Found | undefined {
  const clock = clockAfter(text, day)
  if (!clock) return undefined
  const { hour, minute, second, fraction } = clock
  const local = timeOfParts([day.year, day.month, day.day, hour, minute, second, fraction])
  if (local === undefined) return undefined
  if (UTC_BEFORE.test(text.slice(0, day.start)) || UTC_AFTER.test(clock.after))
    return { unixMs: local, offsetMinutes: undefined, says: 'moment' }
  const offsetMinutes = offsetOf(clock)
  if (offsetMinutes === undefined) return { unixMs: local, offsetMinutes, says: 'local' }
  return { unixMs: local - offsetMinutes * 60_000, offsetMinutes, says: 'moment' }
}

/** Names of Pixel phones and Zoom, and those that OneDrive gives to files of iPhones. */
const UTC_BEFORE = /(?:^|[^a-z\d])(?:PXL_|GMT)$/i
const UTC_AFTER = /^(?:Z|[ _-]?(?:UTC|GMT))(?![a-z\d+-])|^_iOS/i

function offsetOf({ between, after }: ClockInName): number | undefined {
  const [, sign = '', hours, minutes] = /^ ?([+-])(\d\d)[:._]?(\d\d)(?!\d)/.exec(after) ?? []
  // What follows a hyphen may be a counter.
  const isOffset = (sign === '+' || /^t$/i.test(between)) && Number(minutes) % 15 === 0
  return isOffset ? parseOffset(`${sign}${hours}:${minutes}`) : undefined
}

/** Unix time in milliseconds, as in `mmexport1705246212345.mp4`, or iOS's in seconds. */
const UNIX_TIME = /(?<!\d)(1\d{12})(?![\da-z])|^RPReplay_Final(\d{10})(?!\d)/i
/** What names of before then say is a number of another kind: phones with cameras for videos were rare. */
const FIRST_UNIX_TIME = Date.UTC(2010, 0, 1)

function unixTime(text: string): Found | undefined {
  const [match, milliseconds, seconds] = UNIX_TIME.exec(text) ?? []
  if (match === undefined) return undefined
  const unixMs = milliseconds === undefined ? Number(seconds) * 1000 : Number(milliseconds)
  return unixMs < FIRST_UNIX_TIME ? undefined : { unixMs, offsetMinutes: undefined, says: 'moment' }
}

/** `VID-20230114-WA0007.mp4` */
function dayAlone({ year, month, day, isAmbiguous, isWhole }: DayInName): Found | undefined {
  const isSure = !isAmbiguous && isWhole && month.length === 2 && day.length === 2
  const unixMs = isSure ? timeOfParts([year, month, day]) : undefined
  return unixMs === undefined ? undefined : { unixMs, offsetMinutes: undefined, says: 'day' }
}
