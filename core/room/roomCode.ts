import { randomInt } from 'node:crypto'

/** A room's code. It alone says whether the room is open or private. @see docs/decisions.md, D98 */
export type RoomCode = OpenRoomCode | PrivateRoomCode

/** The code of a room that other programs can join, too: name and secret of its virtual network. */
export type OpenRoomCode = {
  readonly privacy: 'open'
  /** `U/NNNN-NNNN-SSSS-SSSS`, canonical: upper case, no I, no O. */
  readonly text: string
  /** `scaffolding-mc-NNNN-NNNN` */
  readonly networkName: string
  /** `SSSS-SSSS` */
  readonly networkSecret: string
}

/** The code of a room whose network only this software can compute. @see core/room/network/members/networkIdentity.ts */
export type PrivateRoomCode = {
  readonly privacy: 'private'
  /** `L/SSSS-SSSS-SSSS-SSSS`, canonical as above; all of it is secret. */
  readonly text: string
  readonly networkName?: never
  readonly networkSecret?: never
}

export type RoomPrivacy = RoomCode['privacy']

export type RoomCodeProblem = keyof typeof PROBLEMS

export type RoomCodeReading =
  | { readonly code: RoomCode; readonly problem?: never }
  | { readonly problem: RoomCodeProblem; readonly code?: never }

/**
 * A new code of an open room, uniform over the valid ones: digits are drawn until the code is valid. (Computing a matching
 * last digit would favour some codes, because 34 is not a multiple of 7.)
 * @param drawDigit an unbiased number from 0 to 33, from a cryptographic source
 */
export function generateRoomCode(drawDigit: () => number = drawRandomDigit): OpenRoomCode {
  return openCodeOf(drawCharacters('U', drawDigit))
}

/** A new code of a private room, uniform over the valid ones. */
export function generatePrivateRoomCode(drawDigit: () => number = drawRandomDigit): PrivateRoomCode {
  return privateCodeOf(drawCharacters('L', drawDigit))
}

/**
 * Finds the room code in typed or pasted text: in any case, I read as 1, O as 0, also with full-width letters and
 * typographic hyphens, and inside other text. The first valid code counts.
 * @see docs/room-protocol.md, "Room code"
 */
export function readRoomCode(text: string): RoomCodeReading {
  const plain = plainText(text)
  if (plain.trim() === '') return { problem: 'empty' }
  let isWellFormed = false
  for (const match of plain.matchAll(CODE)) {
    const [, prefix, ...groups] = match
    const characters = groups.join('').replaceAll('I', '1').replaceAll('O', '0')
    const digits = [...characters].map((character) => ALPHABET.indexOf(character))
    if (prefix === 'U' && isValid('U', digits)) return { code: openCodeOf(characters) }
    if (prefix === 'L' && isValid('L', digits)) return { code: privateCodeOf(characters) }
    isWellFormed = true
  }
  return { problem: isWellFormed ? 'checksum' : diagnose(plain) }
}

/** One sentence that tells a player how to correct the code. */
export function describeProblem(problem: RoomCodeProblem): string {
  return PROBLEMS[problem]
}

const PROBLEMS = {
  empty: 'Enter the room code that your friend sent you; it looks like U/XXXX-XXXX-XXXX-XXXX.',
  prefix: 'A room code begins with "U/" or "L/": copy the whole code, from there on.',
  length: 'A room code has 16 letters and digits after "U/" or "L/": copy the whole code and nothing more.',
  groups: 'A room code has four groups of four, with hyphens between: write it like U/XXXX-XXXX-XXXX-XXXX.',
  character: 'A room code has only letters and digits: replace the other characters.',
  checksum:
    'At least one character of the room code is wrong: compare it with the code that your friend sees.',
  'unsupported-format':
    'This is the code of another kind of room: ask your friend for one that looks like U/XXXX-XXXX-XXXX-XXXX.',
} as const

/** Base 34: I and O are left out because they look like 1 and 0. */
const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const DIGITS = 16
/** Not followed by characters that would make the code longer. */
const CODE = /([UL])\/([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})(?!-?[0-9A-Z])/g
/** Five groups of five (older launchers); `P/…` (rooms of the game's other edition). */
const FOREIGN = /(?<![0-9A-Z])(?:[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}(?![0-9A-Z])|P\/[0-9A-Z]{4}-)/
/** Where a code begins. Words such as URL/ and HTML/ are none that a person would mean. */
const START = /U\/|(?<![0-9A-Z])L\//
/** Longer than any message that contains a code. */
const MAX_TEXT = 10_000

type Prefix = 'U' | 'L'

/** Whether a code of this kind has the right check: its value is the sum of digit × 34^position. */
function isValid(prefix: Prefix, digits: readonly number[]): boolean {
  return prefix === 'U' ? isDivisibleBy7(digits) : isDivisibleBy37(digits)
}

/** Because 34 ≡ -1 (mod 7), the signs alternate. */
function isDivisibleBy7(digits: readonly number[]): boolean {
  return digits.reduce((sum, digit, at) => sum + (at % 2 === 0 ? digit : -digit), 0) % 7 === 0
}

/** 37 is a prime above 34: every single wrong character and every swap of two neighbours changes the remainder. */
function isDivisibleBy37(digits: readonly number[]): boolean {
  return digits.reduceRight((value, digit) => (value * ALPHABET.length + digit) % 37, 0) === 0
}

function drawRandomDigit(): number {
  return randomInt(ALPHABET.length)
}

function drawCharacters(prefix: Prefix, drawDigit: () => number): string {
  for (;;) {
    const digits = Array.from({ length: DIGITS }, drawDigit)
    if (isValid(prefix, digits)) return digits.map((digit) => ALPHABET.charAt(digit)).join('')
  }
}

function privateCodeOf(characters: string): PrivateRoomCode {
  return { privacy: 'private', text: `L/${groupsOf(characters).join('-')}` }
}

function groupsOf(characters: string): readonly string[] {
  return [0, 4, 8, 12].map((at) => characters.slice(at, at + 4))
}

function openCodeOf(characters: string): OpenRoomCode {
  const [first, second, third, fourth] = groupsOf(characters)
  return {
    privacy: 'open',
    text: `U/${first}-${second}-${third}-${fourth}`,
    networkName: `scaffolding-mc-${first}-${second}`,
    networkSecret: `${third}-${fourth}`,
  }
}

/** Upper case; compatibility forms (full-width letters) and dashes as ASCII; without invisible spaces. */
function plainText(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .toUpperCase()
}

/** Why a text that is not empty contains no well-formed code. */
function diagnose(plain: string): RoomCodeProblem {
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
