/** A day that the name of a file may say. It may not exist. */
export type DayInName = {
  readonly year: string
  readonly month: string
  readonly day: string
  /** Whether month and day may have changed places. */
  readonly isAmbiguous: boolean
  /** Whether no digit follows. */
  readonly isWhole: boolean
  /** Where it is in the name. */
  readonly start: number
  readonly end: number
  /** Between its numbers; empty where there is nothing, or words. */
  readonly separator: string
}

const YEAR = '((?:19|20)\\d\\d)'

/** `20240114`, `2024-01-14`, `2024年1月14日`, and `2024_0114` of dashboard cameras. */
const YEAR_FIRST = new RegExp(
  `(?<!\\d)${YEAR}(?:(\\d\\d)(\\d\\d)|([-_.: ])(\\d{1,2})\\4(\\d{1,2})(?!\\d)|[年년] ?(\\d{1,2})[月월] ?(\\d{1,2})[日일号]|_(\\d\\d)(\\d\\d)(?!\\d))`,
  'g',
)

/** `14-01-2024`, `1_14_2024`, and `1-14-24` of Photo Booth. */
const YEAR_LAST = new RegExp(
  `(?<!\\d)(\\d{1,2})([-_./])(\\d{1,2})\\2(?:${YEAR}(?!\\d)|(\\d\\d)(?= at ))`,
  'g',
)

/** @param text without hashes. @returns the days in it, those first that begin with the year */
export function daysIn(text: string): readonly DayInName[] {
  return [
    ...[...text.matchAll(YEAR_FIRST)].map((match) => yearFirst(text, match)),
    ...[...text.matchAll(YEAR_LAST)].map((match) => yearLast(text, match)),
  ]
}

function yearFirst(text: string, match: RegExpExecArray): DayInName {
  const [whole, year = '', m1, d1, separator = '', m2, d2, m3, d3, m4, d4] = match
  const [month, day] = [m1 ?? m2 ?? m3 ?? m4 ?? '', d1 ?? d2 ?? d3 ?? d4 ?? '']
  return { year, month, day, separator, isAmbiguous: false, ...placeOf(text, match.index, whole) }
}

function yearLast(text: string, match: RegExpExecArray): DayInName {
  const [whole, first = '', separator = '', second = '', year, shortYear = ''] = match
  const before = text.slice(0, match.index)
  // Exports of Telegram have the day first, recordings of iOS the month; dots are not written where that comes first.
  const isDayFirst = before.endsWith('@') || separator === '.' || Number(first) > 12
  const isMonthFirst = /ScreenRecording_$/i.test(before) || Number(second) > 12
  const [month, day] = isDayFirst ? [second, first] : [first, second]
  const isAmbiguous = !isDayFirst && !isMonthFirst && first !== second
  const date = { year: year ?? `20${shortYear}`, month, day, separator, isAmbiguous }
  return { ...date, ...placeOf(text, match.index, whole) }
}

function placeOf(text: string, start: number, whole: string) {
  const end = start + whole.length
  return { start, end, isWhole: !/^\d/.test(text.slice(end)) }
}
