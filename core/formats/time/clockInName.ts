import type { DayInName } from './dayInName'

/** A time of day after a day in the name of a file. It may not exist. */
export type ClockInName = {
  /** Of 24. */
  readonly hour: string
  readonly minute: string
  readonly second: string
  /** Digits of the second's fraction. */
  readonly fraction: string | undefined
  /** What is between the day and it, and what follows. */
  readonly between: string
  readonly after: string
}

/** `at`, in the languages in which WhatsApp and macOS write it. */
const AT = [
  ...['at', 'um', 'a las?', 'a la\\(s\\)', 'a les', 'às?', 'à\\(s\\)', 'as', 'alle ore', 'alle', 'ore', 'om'],
  ...[
    'kl\\.?',
    'klo',
    'kello',
    'o godz\\.?',
    'o',
    'v',
    've',
    'u',
    'ob',
    'la',
    'saat',
    'pukul',
    'pada',
    'lúc',
  ],
  ...['в', 'о', 'у', 'στις', 'בשעה', 'في', 'เวลา'],
].join('|')
const BETWEEN = new RegExp(`^(?:[ _,]+(?:${AT})[ _]+|[ _,]*(?:于|於|に|ב-?)[ _]*|[ _.,T~-]{0,3})`, 'i')
const WORD_BETWEEN = /[^ _.,T~-]/i

const HALF_BEFORE = /^(?:(上午|凌晨|清晨|早上|午前|오전|öö)|(下午|傍晚|晚上|午後|오후|ös)|(中午)) ?/i
const HALF_AFTER = /^[ _]?(?:(a\.? ?m\.?|π\.?μ\.?|öö|ص)|(p\.? ?m\.?|μ\.?μ\.?|ös|م))(?![\p{L}\d])/iu

/** The clock after a day, if what follows that is one. */
export function clockAfter(text: string, day: DayInName): ClockInName | undefined {
  const [between = ''] = BETWEEN.exec(text.slice(day.end)) ?? []
  const rest = text.slice(day.end + between.length)
  const [before] = [HALF_BEFORE.exec(rest)]
  const digits = readDigits(rest.slice(before?.[0].length ?? 0), day, text)
  if (!digits) return undefined
  const half = before ?? HALF_AFTER.exec(digits.after)
  if (digits.isWeak && !half && !WORD_BETWEEN.test(between)) return undefined
  // Where the month comes first, hours are told by AM and PM.
  if (day.isAmbiguous && !/^[ap]/i.test(half?.[1] ?? half?.[2] ?? '')) return undefined
  return { ...digits, hour: hourOf(digits.hour, half), between }
}

/** Of 24. Twelve o'clock at night is 12 AM. @param half its groups: morning, afternoon, noon */
function hourOf(hour: string, half: RegExpExecArray | null): string {
  const number = Number(hour)
  if (!half || number > 12) return hour
  const [, morning, , noon] = half
  if (noon !== undefined) return String(number < 6 ? number + 12 : number)
  return String((number % 12) + (morning === undefined ? 12 : 0))
}

type Digits = Pick<ClockInName, 'hour' | 'minute' | 'second' | 'fraction' | 'after'> & {
  /** Whether it counts only with a word before or after it. */
  readonly isWeak: boolean
}

/** `153012`, `153012345` with milliseconds, `15301200` with the counter of a game console. */
const COMPACT = /^(\d\d)(\d\d)(\d\d)(?:(\d{3})|\d\d)?(?!\d)/
/** `1530_12_345` of KakaoTalk. */
const KAKAO = /^(\d\d)(\d\d)_(\d\d)(?=_\d{3}(?!\d))/
/** `15.30.12`, `3:30:12` */
const SEPARATED = /^(\d{1,2})([-_.: ])(\d\d)\2(\d\d)(?!\d)/
/** `15h30m12s`, `15时30分12秒` */
const LETTERED = /^(\d{1,2})[h时時点點시] ?(\d{1,2})[m分분] ?(\d{1,2})[s秒초]?/i
/** `15.30` */
const SHORT = /^(\d{1,2})([.:])(\d\d)(?![\d.:])/
const FRACTION = /^[-_.,]?(\d{3})(?![\da-y])/i

function readDigits(text: string, { separator: ofDay }: DayInName, name: string): Digits | undefined {
  const kakao = /kakaotalk/i.test(name) ? KAKAO.exec(text) : null
  const plain = kakao ?? COMPACT.exec(text) ?? LETTERED.exec(text)
  if (plain) {
    const [whole, hour = '', minute = '', second = '', attached] = plain
    return digitsOf({ hour, minute, second, isWeak: false }, text.slice(whole.length), attached)
  }
  const separated = SEPARATED.exec(text)
  if (separated) {
    const [whole, hour = '', separator = '', minute = '', second = ''] = separated
    const isWeak = hour.length === 1 && !/[.:]/.test(separator)
    return digitsOf({ hour, minute, second, isWeak }, text.slice(whole.length))
  }
  const [whole, hour = '', separator, minute = ''] = SHORT.exec(text) ?? []
  if (whole === undefined) return undefined
  // AMD's recorder writes `2024.01.14-15.30`.
  const isWeak = ofDay !== '.' || separator !== '.' || hour.length === 1
  return { hour, minute, second: '0', fraction: undefined, after: text.slice(whole.length), isWeak }
}

function digitsOf(
  read: Pick<Digits, 'hour' | 'minute' | 'second' | 'isWeak'>,
  after: string,
  attached?: string,
): Digits {
  const [whole = '', later] = attached === undefined ? (FRACTION.exec(after) ?? []) : []
  return { ...read, fraction: attached ?? later, after: after.slice(whole.length) }
}
