import { checkedCode, DIGITS, type Prefix, type RoomCode } from './roomCode'

/** Why no code was found. Stable, for programs. */
export type RoomCodeProblem =
  | 'empty'
  | 'prefix'
  | 'length'
  | 'groups'
  | 'character'
  | 'checksum'
  | 'unsupported-format'

export type RoomCodeReading =
  | { readonly code: RoomCode; readonly problem?: never }
  | { readonly problem: RoomCodeProblem; readonly code?: never }

/**
 * Finds the room code in typed or pasted text. The first valid one that is written as it is shown counts, also inside other
 * text. Otherwise prefix, hyphens and case may be missing or be others, as long as one code alone fits the check.
 * @see docs/room-protocol.md, "Room code"
 * @example const { code, problem } = readRoomCode('join U/ABCD-EFGH-JKLM-NPQR')
 */
export function readRoomCode(text: string): RoomCodeReading {
  const plain = plainText(text)
  if (plain.trim() === '') return { problem: 'empty' }
  const shown = shownCodes(plain)
  const code = shown.flatMap(codesOf)[0]
  if (code) return { code }
  for (const typed of [wholeCode(plain), codesInside(plain)]) {
    const codes = new Map(typed.flatMap(codesOf).map((one) => [one.text, one]))
    const [only] = codes.values()
    if (only && codes.size === 1) return { code: only }
    if (codes.size > 1) return { problem: 'prefix' }
    shown.push(...typed)
  }
  return { problem: shown.length > 0 ? 'checksum' : diagnose(plain.toUpperCase()) }
}

/** What may be a code: letters in upper case, but for a small L, which may be a one. */
type Typed = { readonly prefix: Prefix | undefined; readonly characters: string }

/** Longer than any message that contains a code. */
const MAX_TEXT = 10_000
/** As it is shown; not followed by characters that would make it longer. */
const SHOWN = /([ULl])\/([0-9A-Zl]{4})-([0-9A-Zl]{4})-([0-9A-Zl]{4})-([0-9A-Zl]{4})(?!-?[0-9A-Zl])/g
/**
 * Four groups of four inside other text with the same between all of them, also nothing. The characters before are neither
 * another group nor a prefix. A match has no length, so that one may begin inside another.
 */
const INSIDE =
  /(?<![0-9A-Zl][-_.]?)(?<!\b[A-Zl] ?\/ ?)(?<!\b[ULl][^\p{L}\p{N}]{0,3})(?=(?:([ULl])([^\p{L}\p{N}]{0,3}))?([0-9A-Zl]{4})([^\p{L}\p{N}]{0,3})([0-9A-Zl]{4})\4([0-9A-Zl]{4})\4([0-9A-Zl]{4})(?![-_.]?[0-9A-Zl]))/gu
/** Five groups of five (older launchers); `P/…` (rooms of the game's other edition). */
const FOREIGN = /(?<![0-9A-Z])(?:[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}(?![0-9A-Z])|P\/[0-9A-Z]{4}-)/
/** Where a code begins. Words such as URL/ and HTML/ are none that a person would mean. */
const START = /U\/|(?<![0-9A-Z])L\//

function shownCodes(plain: string): Typed[] {
  return [...plain.matchAll(SHOWN)].map(([, prefix = '', ...groups]) => typedOf(prefix, groups.join('')))
}

/** The whole text without all that is neither a letter nor a digit, where a code is left. */
function wholeCode(plain: string): readonly Typed[] {
  const solid = plain.replace(/[^\p{L}\p{N}]+/gu, '')
  if (!/^[0-9A-Zl]{16,17}$/.test(solid)) return []
  const hasSlash = /^[^\p{L}\p{N}]*[A-Zl]\s*\//u.test(plain)
  if (solid.length === DIGITS) return hasSlash ? [] : [typedOf('', solid)]
  return /^[ULl]/.test(solid) ? [typedOf(solid.charAt(0), solid.slice(1))] : []
}

/** Words of a sentence have four letters, too: without a digit, and without the slash after a prefix, they are no code. */
function codesInside(plain: string): readonly Typed[] {
  // Programs break lines after hyphens, and put a mark before the lines of a quotation.
  const joined = plain.replace(/([-_/])[ \t]*[\r\n][\s>]*/g, '$1').replace(/[ \t]*[\r\n][\s>]*([-_])/g, '$1')
  return [...joined.matchAll(INSIDE)].flatMap(([, prefix = '', mark = '', first = '', , ...others]) => {
    const characters = first + others.join('')
    return mark.includes('/') || /\d/.test(characters) ? [typedOf(prefix, characters)] : []
  })
}

function typedOf(prefix: string, characters: string): Typed {
  const kind = prefix.toUpperCase()
  return { prefix: kind === 'U' || kind === 'L' ? kind : undefined, characters }
}

/** Every code that may be meant; with a small L for a one only where none has it as a letter. */
function codesOf({ prefix, characters }: Typed): readonly RoomCode[] {
  const prefixes = prefix === undefined ? (['U', 'L'] as const) : [prefix]
  const read = (texts: readonly string[]) =>
    texts.flatMap((text) => prefixes.flatMap((kind) => checkedCode(kind, text) ?? []))
  const codes = read([digitsOf(characters)])
  if (codes.length > 0 || !characters.includes('l')) return codes
  const others = read(withOnes(characters))
  return others.length === 1 ? others : []
}

/** I and O are not in the alphabet, because they look like 1 and 0. */
function digitsOf(characters: string): string {
  return characters.toUpperCase().replaceAll('I', '1').replaceAll('O', '0')
}

/** The text with each choice of its first small Ls as ones. */
function withOnes(characters: string): readonly string[] {
  const [before = '', ...parts] = characters.split('l')
  const limited = parts.slice(0, MAX_SMALL_L)
  const rest = parts.slice(MAX_SMALL_L).map((part) => `l${part}`)
  const texts = limited.reduce<readonly string[]>(
    (all, part) => all.flatMap((text) => [`${text}L${part}`, `${text}1${part}`]),
    [before],
  )
  return texts.map((text) => digitsOf(text + rest.join('')))
}

/** Of so many all choices are tried; more are as good as never in one code. */
const MAX_SMALL_L = 4

/**
 * Upper case but for a small L; forms that mean the same as ASCII: full-width letters, dashes, slashes, escapes of URLs, letters
 * of other alphabets that look alike. Without invisible spaces.
 */
function plainText(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .replace(/%(?:25)?(2[0DF]|5[CF]|0[AD])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\\\u2044\u2215\u29F8]/g, '/')
    .replace(/[\u00AD\u200B-\u200F\u2060\uFEFF]/g, '')
    .replace(/[^l]+/g, (part) => part.toUpperCase())
    .replace(LOOK_ALIKES, (letter) => LATIN.charAt(FOREIGN_LETTERS.indexOf(letter)))
}

/** Greek and Cyrillic, and Latin with a stroke. */
const FOREIGN_LETTERS = 'ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕЗКМНОРСТУХІЅЈØ'
const LATIN = 'ABEZHIKMNOPTYXABE3KMHOPCTYXISJ0'
const LOOK_ALIKES = new RegExp(`[${FOREIGN_LETTERS}]`, 'g')

/** Why a text that is not empty contains no well-formed code. */
function diagnose(plain: string): RoomCodeProblem {
  if (/^[0-9A-Z]{18,}$/.test(plain)) return 'length'
  const start = plain.search(START)
  if (start < 0) return FOREIGN.test(plain) ? 'unsupported-format' : 'prefix'
  const word = /^\S*/.exec(plain.slice(start + 2))?.[0] ?? ''
  const written = word.replace(/[^0-9A-Z]+$/, '')
  if (/[^0-9A-Z-]/.test(written)) return 'character'
  const groups = written.split('-')
  if (groups.join('').length === DIGITS) return 'groups'
  const isCutOrLonger = groups.slice(0, -1).every((group) => group.length === 4)
  return isCutOrLonger || groups.length === 4 ? 'length' : 'groups'
}
