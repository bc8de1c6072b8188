import { randomInt } from 'node:crypto'

/** A room's code. It alone says whether the room is open or private. @see docs/decisions.md, D98 */
export type RoomCode = {
  readonly privacy: RoomPrivacy
  /** `U/NNNN-NNNN-SSSS-SSSS` or `L/SSSS-SSSS-SSSS-SSSS`, canonical: upper case, no I, no O. S is secret. */
  readonly text: string
}

/** Only this software can join a private room. */
export type RoomPrivacy = 'open' | 'private'

/**
 * Name and secret of an open room's network, which other programs read in its code, too.
 * @example openNetworkOf(room).name // 'scaffolding-mc-YNZE-U61D'
 */
export function openNetworkOf({ text }: RoomCode): { readonly name: string; readonly secret: string } {
  return { name: `scaffolding-mc-${text.slice(2, 11)}`, secret: text.slice(12) }
}

/**
 * A new code of an open room, uniform over the valid ones: digits are drawn until the code is valid. (Computing a matching
 * last digit would favour some codes, because 34 is not a multiple of 7.)
 * @param drawDigit an unbiased number from 0 to 33, from a cryptographic source
 * @example generateRoomCode().text // 'U/…', which players tell each other
 */
export function generateRoomCode(drawDigit: () => number = drawRandomDigit): RoomCode {
  return drawCode('U', drawDigit)
}

/**
 * A new code of a private room, uniform over the valid ones.
 * @example generatePrivateRoomCode().text // 'L/…'
 */
export function generatePrivateRoomCode(drawDigit: () => number = drawRandomDigit): RoomCode {
  return drawCode('L', drawDigit)
}

/**
 * The code of these 16 characters of the alphabet.
 * @returns undefined where the check is wrong
 */
export function checkedCode(prefix: Prefix, characters: string): RoomCode | undefined {
  const digits = [...characters].map((character) => ALPHABET.indexOf(character))
  if (!isValid(prefix, digits)) return undefined
  const groups = [0, 4, 8, 12].map((at) => characters.slice(at, at + 4))
  return { privacy: prefix === 'U' ? 'open' : 'private', text: `${prefix}/${groups.join('-')}` }
}

/** Base 34: I and O are left out because they look like 1 and 0. */
const ALPHABET = '0123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
/** After the prefix. */
export const DIGITS = 16

/** Of an open room, and of a private one. */
export type Prefix = 'U' | 'L'

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

function drawCode(prefix: Prefix, drawDigit: () => number): RoomCode {
  for (;;) {
    const characters = Array.from({ length: DIGITS }, () => ALPHABET.charAt(drawDigit()))
    const code = checkedCode(prefix, characters.join(''))
    if (code) return code
  }
}
