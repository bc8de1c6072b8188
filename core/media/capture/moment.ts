/** A date and time as a person or a file gives it. */
export type Moment = {
  /** Unix time in milliseconds; where no offset is given, as if the time was UTC. */
  readonly unixMs: number
  /** Minutes ahead of UTC; undefined when none is given. */
  readonly offsetMinutes: number | undefined
}

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?(Z|[+ -]\d\d:?\d\d|[+ -]\d\d)?$/i

/**
 * Reads a date with a time: `2024-05-06T12:00:00+02:00`, with or without seconds, fractions (which are dropped) and offset.
 * @returns undefined for other text, and for a day or time that does not exist
 * @see ISO 8601; RFC 3339, 5.6
 */
export function parseMoment(text: string): Moment | undefined {
  const match = PATTERN.exec(text.trim())
  if (!match) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((part) => {
    return Number(part ?? 0)
  })
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  // A day that does not exist becomes another one.
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60
  if (!isReal || second > 59 || year < 1900) return undefined
  const offset = match[7]
  if (offset === undefined) return { unixMs: date.getTime(), offsetMinutes: undefined }
  const offsetMinutes = parseOffset(offset)
  if (offsetMinutes === undefined) return undefined
  return { unixMs: date.getTime() - offsetMinutes * 60_000, offsetMinutes }
}

/**
 * `Z`, `+02:00`, `+0200` or `+02` in minutes. A space counts as a plus, which it becomes in forms that are not encoded.
 * @returns undefined for other text and more than 14 hours
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

/** Clocks that were never set show the first day of their count: 1904, 1970, 1980. */
export function isPlausible(unixMs: number): boolean {
  return unixMs >= EARLIEST && unixMs < LATEST
}
