/**
 * Reads a time as people write it: seconds (`1.5`), `mm:ss.sss` or `hh:mm:ss.sss`.
 * Negative times are read, too, so that the error can name their value.
 * @returns seconds; undefined when the text is no time
 */
export function parseTime(text: string): number | undefined {
  const parts = /^([+-]?)(?:(?:(\d{1,6}):(?=\d{1,2}:))?(\d{1,6}):)?(\d{1,9}(?:\.\d*)?|\.\d+)$/.exec(
    text.trim(),
  )
  if (!parts) return undefined
  const [, sign, hours, minutes, seconds] = parts
  // After a colon there are at most 59 of anything.
  if (minutes !== undefined && Number(seconds) >= 60) return undefined
  if (hours !== undefined && Number(minutes) >= 60) return undefined
  const total = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds)
  return sign === '-' ? -total : total
}
