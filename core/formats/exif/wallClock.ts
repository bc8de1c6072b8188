/** A local time, as EXIF stores it. */
export type WallClock = {
  readonly year: number
  /** 1–12 */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0–999; undefined when it is unknown. */
  readonly millisecond?: number | undefined
  /** East of Greenwich is positive; undefined when it is unknown. */
  readonly offsetMinutes: number | undefined
}

/**
 * The local time at `moment` where it is `offsetMinutes` ahead of UTC.
 * @example
 * const time = wallClock(new Date('2026-03-04T05:06:07Z'), 60) // hour 6, offsetMinutes 60
 */
export function wallClock(moment: Date, offsetMinutes: number): WallClock {
  const shifted = new Date(moment.getTime() + offsetMinutes * 60_000)
  return {
    year: shifted.getUTCFullYear(),
    month: shifted.getUTCMonth() + 1,
    day: shifted.getUTCDate(),
    hour: shifted.getUTCHours(),
    minute: shifted.getUTCMinutes(),
    second: shifted.getUTCSeconds(),
    millisecond: shifted.getUTCMilliseconds(),
    offsetMinutes,
  }
}

/**
 * Unix time in milliseconds; of a time whose offset is unknown, as if it was UTC.
 * @example
 * unixTimeOf(wallClock(new Date(0), 60)) // 0
 */
export function unixTimeOf(time: WallClock): number {
  const { year, month, day, hour, minute, second, millisecond = 0, offsetMinutes = 0 } = time
  return Date.UTC(year, month - 1, day, hour, minute - offsetMinutes, second, millisecond)
}

/**
 * `2026-03-04T05:06:07+02:00`; without the offset where it is unknown.
 * @see RFC 3339
 * @example
 * isoTime(wallClock(new Date('2026-03-04T05:06:07Z'), 120)) // '2026-03-04T07:06:07+02:00'
 */
export function isoTime(time: WallClock): string {
  return exifDateTime(time).replace(/^(\d+):(\d+):(\d+) /, '$1-$2-$3T') + (exifOffset(time) ?? '')
}

/**
 * `YYYY:MM:DD HH:MM:SS`, as in EXIF.
 * @example
 * exifDateTime(wallClock(new Date('2026-03-04T05:06:07Z'), 60)) // '2026:03:04 06:06:07'
 */
export function exifDateTime(time: WallClock): string {
  const date = [digits(time.year, 4), digits(time.month, 2), digits(time.day, 2)].join(':')
  const clock = [digits(time.hour, 2), digits(time.minute, 2), digits(time.second, 2)].join(':')
  return `${date} ${clock}`
}

/**
 * `+HH:MM` or `-HH:MM`; undefined when the offset is unknown.
 * @example
 * exifOffset(wallClock(new Date(), 330)) // '+05:30'
 */
export function exifOffset(time: WallClock): string | undefined {
  if (time.offsetMinutes === undefined) return undefined
  const minutes = Math.abs(time.offsetMinutes)
  const sign = time.offsetMinutes < 0 ? '-' : '+'
  return `${sign}${digits(Math.floor(minutes / 60), 2)}:${digits(minutes % 60, 2)}`
}

function digits(value: number, count: number): string {
  return String(value).padStart(count, '0')
}

/**
 * `IMG_YYYYMMDD_HHMMSS`, as phones name photos. Of a motion photo `_MP.jpg` must follow: galleries recognise one by the end
 * of its name, too.
 * @example
 * photoBaseName(wallClock(new Date('2026-03-04T05:06:07Z'), 0)) // 'IMG_20260304_050607'
 */
export function photoBaseName(time: WallClock): string {
  return `IMG_${exifDateTime(time).replaceAll(':', '').replace(' ', '_')}`
}
