import { randomInt } from 'node:crypto'

/** A room's code. It alone says whether the room is open or private. @see docs/decisions.md, D98 */
export type RoomCode = OpenRoomCode | PrivateRoomCode

/** The code of a room that other programs can join, too: name and secret of its virtual network. */
export type OpenRoomCode = Readonly<ReturnType<typeof openCodeOf>>

/** The code of a room whose network only this software can compute. @see core/room/network/members/networkIdentity.ts */
export type PrivateRoomCode = {
  readonly privacy: 'private'
  /** `L/SSSS-SSSS-SSSS-SSSS`, canonical as above; all of it is secret. */
  readonly text: string
  readonly networkName?: never
  readonly networkSecret?: never
}

export type RoomPrivacy = RoomCode['privacy']

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
 * The code of these 16 characters of the alphabet.
 * @returns undefined where the check is wrong
 */
export function checkedCode(prefix: Prefix, characters: string): RoomCode | undefined {
  const digits = [...characters].map((character) => ALPHABET.indexOf(character))
  if (!isValid(prefix, digits)) return undefined
  return prefix === 'U' ? openCodeOf(characters) : privateCodeOf(characters)
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

function openCodeOf(characters: string) {
  const [first, second, third, fourth] = groupsOf(characters)
  return {
    privacy: 'open' as const,
    /** `U/NNNN-NNNN-SSSS-SSSS`, canonical: upper case, no I, no O. */
    text: `U/${first}-${second}-${third}-${fourth}`,
    networkName: `scaffolding-mc-${first}-${second}`,
    networkSecret: `${third}-${fourth}`,
  }
}
