/** A date and time as a person or a file gives it. */
export type Moment = {
  /** Unix time in milliseconds; where no offset is given, as if the time was UTC. */
  readonly unixMs: number
  /** Minutes ahead of UTC; undefined when none is given. */
  readonly offsetMinutes: number | undefined
}

const PATTERN =
  /^(\d{4})([-:])(\d\d)\2(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+ -]\d\d:?\d\d|[+ -]\d\d)?)?$/i

/**
 * Reads a date: `2024-05-06T12:00:00+02:00`, with or without seconds, fractions and offset, or without any time, which is
 * midnight then. EXIF's form, `2024:05:06 12:00:00`, is read as well.
 * @returns undefined for other text, and for a day or time that does not exist
 * @see ISO 8601; RFC 3339, 5.6; CIPA DC-008 (Exif 2.32), 4.6.4
 * @example parseMoment('2024-05-06T12:00:00+02:00') // { unixMs: 1714989600000, offsetMinutes: 120 }
 */
export function parseMoment(text: string): Moment | undefined {
  const match = PATTERN.exec(text.trim())
  if (!match) return undefined
  const [, year, , month, day, hour, minute, second, fraction, offset] = match
  const local = timeOfParts([year, month, day, hour, minute, second, fraction])
  const offsetMinutes = offset === undefined ? undefined : parseOffset(offset)
  if (local === undefined || (offset !== undefined && offsetMinutes === undefined)) return undefined
  return { unixMs: local - (offsetMinutes ?? 0) * 60_000, offsetMinutes }
}

/**
 * Unix time in milliseconds of a date as if it was in UTC.
 * @param parts year, month, day, hour, minute, second and the digits of its fraction; those that are missing are 0
 * @returns undefined for a day or time that does not exist
 */
export function timeOfParts(parts: readonly (string | undefined)[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(0, 6)
    .map((part) => Number(part ?? 0))
  const milliseconds = Number((parts[6] ?? '').padEnd(3, '0').slice(0, 3))
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds))
  // A day that does not exist becomes another one.
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60
  return isReal && second < 60 && year >= 1900 ? date.getTime() : undefined
}

/**
 * `Z`, `+02:00`, `+0200` or `+02` in minutes. A space counts as a plus, which it becomes in forms that are not encoded.
 * @returns undefined for other text and more than 14 hours
 * @example parseOffset('+0530') // 330
 */
export function parseOffset(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0
  const match = /^([+ -])(\d\d):?(\d\d)?$/.exec(text)
  if (!match) return undefined
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  if (minutes > 14 * 60 || Number(match[3] ?? 0) > 59) return undefined
  return match[1] === '-' ? 0 - minutes : minutes
}

const EARLIEST = Date.UTC(1990, 0, 1)
const LATEST = Date.UTC(2100, 0, 1)

/**
 * Whether a clock may have shown this time, in Unix milliseconds. Clocks that were never set show the first day of their count: 1904,
 * 1970, 1980.
 * @example isPlausible(0) // false
 */
export function isPlausible(unixMs: number): boolean {
  return unixMs >= EARLIEST && unixMs < LATEST
}
