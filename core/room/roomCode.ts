import { randomInt } from 'node:crypto'

/** A room's code, and what the virtual network is called by it. */
export type RoomCode = {
  /** `U/NNNN-NNNN-SSSS-SSSS`, canonical: upper case, no I, no O. */
  readonly text: string
  /** `scaffolding-mc-NNNN-NNNN` */
  readonly networkName: string
  /** `SSSS-SSSS` */
  readonly networkSecret: string
}

export type RoomCodeProblem = keyof typeof PROBLEMS

export type RoomCodeReading =
  | { readonly code: RoomCode; readonly problem?: never }
  | { readonly problem: RoomCodeProblem; readonly code?: never }

/**
 * A new code, uniform over the valid ones: digits are drawn until the code is valid. (Computing a matching last digit would
 * favour some codes, because 34 is not a multiple of 7.)
 * @param drawDigit an unbiased number from 0 to 33, from a cryptographic source
 */
export function generateRoomCode(drawDigit: () => number = () => randomInt(ALPHABET.length)): RoomCode {
  for (;;) {
    const digits = Array.from({ length: DIGITS }, drawDigit)
    if (isDivisible(digits)) return roomCodeOf(digits.map((digit) => ALPHABET.charAt(digit)).join(''))
  }
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
    const digits = match.slice(1).join('').replaceAll('I', '1').replaceAll('O', '0')
    if (isDivisible([...digits].map((character) => ALPHABET.indexOf(character)))) {
      return { code: roomCodeOf(digits) }
    }
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
  prefix: 'A room code begins with "U/": copy the whole code, from U/ on.',
  length: 'A room code has 16 letters and digits after "U/": copy the whole code and nothing more.',
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
const CODE = /U\/([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})(?!-?[0-9A-Z])/g
/** Five groups of five (older launchers); `P/…` (rooms of the game's other edition). */
const FOREIGN = /(?<![0-9A-Z])(?:[0-9A-Z]{5}(?:-[0-9A-Z]{5}){4}(?![0-9A-Z])|P\/[0-9A-Z]{4}-)/
/** Longer than any message that contains a code. */
const MAX_TEXT = 10_000

/** Whether the value, the sum of digit × 34^position, is divisible by 7. Because 34 ≡ -1 (mod 7), the signs alternate. */
function isDivisible(digits: readonly number[]): boolean {
  return digits.reduce((sum, digit, at) => sum + (at % 2 === 0 ? digit : -digit), 0) % 7 === 0
}

function roomCodeOf(digits: string): RoomCode {
  const [first, second, third, fourth] = [0, 4, 8, 12].map((at) => digits.slice(at, at + 4))
  return {
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
  const start = plain.indexOf('U/')
  if (start < 0) return FOREIGN.test(plain) ? 'unsupported-format' : 'prefix'
  const word = /^\S*/.exec(plain.slice(start + 2))?.[0] ?? ''
  const written = word.replace(/[^0-9A-Z]+$/, '')
  if (/[^0-9A-Z-]/.test(written)) return 'character'
  const groups = written.split('-')
  if (groups.join('').length === DIGITS) return 'groups'
  const isCutOrLonger = groups.slice(0, -1).every((group) => group.length === 4)
  return isCutOrLonger || groups.length === 4 ? 'length' : 'groups'
}
