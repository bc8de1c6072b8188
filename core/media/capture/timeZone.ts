import { parseOffset } from '@lantern-room/formats/time'

/** @returns minutes that the zone's clocks are ahead of UTC at this Unix time in milliseconds */
export type TimeZone = (unixMs: number) => number

/**
 * @param name an offset (`+02:00`, `Z`) or a name of the IANA database (`Europe/Berlin`)
 * @returns undefined for a name that this program's database does not have
 * @example timeZoneOf('+02:00')?.(0) // 120
 */
export function timeZoneOf(name: string): TimeZone | undefined {
  const fixed = parseOffset(name)
  if (fixed !== undefined) return () => fixed
  const format = formatOf(name)
  return format && ((unixMs) => offsetAt(format, unixMs))
}

/**
 * The Unix time at which the clocks of a zone show this time, given as if it was UTC.
 * @example instantOf(0, () => 60) // -3600000
 */
export function instantOf(localMs: number, zone: TimeZone): number {
  const guess = localMs - zone(localMs) * 60_000
  // Once more, for times near a change of the clocks.
  return localMs - zone(guess) * 60_000
}

function formatOf(name: string): Intl.DateTimeFormat | undefined {
  if (!/^[A-Za-z][\w+/-]{1,63}$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}

function offsetAt(format: Intl.DateTimeFormat, unixMs: number): number {
  const shown = format.formatToParts(unixMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  // `GMT+02:00`, or `GMT` alone.
  return parseOffset(shown.replace('GMT', '').slice(0, 6)) ?? 0
}
