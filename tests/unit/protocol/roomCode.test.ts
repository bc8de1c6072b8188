import * as fc from 'fast-check'
import { type RoomCodeProblem, readRoomCode } from '#internal/protocol/readRoomCode'
import { generatePrivateRoomCode, generateRoomCode, openNetworkOf } from '#internal/protocol/roomCode'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import vectors from '../../fixtures/room/room-codes.json'

const test = suite('room codes')

const { alphabet } = vectors
const PROBLEMS: readonly RoomCodeProblem[] = [
  'empty',
  'prefix',
  'length',
  'groups',
  'character',
  'checksum',
  'unsupported-format',
]
const NEW_CODE = /^[UL]\/([0-9A-HJ-NP-Z]{4}-){3}[0-9A-HJ-NP-Z]{4}$/

/** Computed another way than the module does: the value itself, little-endian base 34. */
function numberOf(code: string): bigint {
  const digits = [...code.slice(2).replaceAll('-', '')].map((character) =>
    BigInt(alphabet.indexOf(character)),
  )
  return digits.reduceRight((value, digit) => value * 34n + digit, 0n)
}

for (const vector of vectors.valid) {
  test(`"${vector.text}" is read`, () => {
    const { code } = readRoomCode(vector.text)
    assert.is(code?.text, vector.canonical)
    if (!('value' in vector)) return
    assert.is(numberOf(vector.canonical), BigInt(vector.value ?? ''))
    assert.equal(code && openNetworkOf(code), { name: vector.networkName, secret: vector.networkSecret })
  })
}

for (const { text, problem } of vectors.invalid) {
  test(`"${text}" is refused: ${problem}`, () => {
    assert.equal(readRoomCode(text), { problem })
  })
}

const moreProblems: readonly (readonly [text: string, problem: RoomCodeProblem])[] = [
  [' \t\n', 'empty'],
  ['L/YNZE-U61D-2206-HXRG', 'checksum'],
  ['L/', 'length'],
  ['see L/YNZE-U61D', 'length'],
  ['L/YNZE-U61D-2206-HX*G', 'character'],
  ['https://example.com/html/abcd', 'prefix'],
  ['U/', 'length'],
  ['U/YNZE', 'length'],
  ['U/YNZE-U61D-2206-HXRGA', 'length'],
  ['U/YNZ-U61D-2206-HXRG', 'length'],
  ['U/YNZE-U61D-2Ä06-HXRG', 'character'],
  ['join u/ynze-u61d-2206-hxrh, please', 'checksum'],
  ['ABCDE-FGHJK-12345-67890-ABCDE', 'unsupported-format'],
]

for (const [text, problem] of moreProblems) {
  test(`"${text}" is refused, too: ${problem}`, () => {
    assert.equal(readRoomCode(text), { problem })
  })
}

test('any text at all is read or refused, and quickly', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('U/', 'u/', 'L/', 'P/', 'YNZE-', 'U61D-', '2206-', 'HXRG', '-', ' ', 'I', 'o'),
  )
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { code, problem } = readRoomCode(pieces.join(''))
      if (code) assert.is(numberOf(code.text) % (code.privacy === 'open' ? 7n : 37n), 0n)
      else assert.ok(PROBLEMS.includes(problem))
    }),
  )
  for (const part of ['U/', 'U/YNZE-', 'ABCDE-', 'P/']) readRoomCode(part.repeat(200_000))
})

test('each problem is met', () => {
  assert.equal(new Set(vectors.invalid.map(({ problem }) => problem)), new Set(PROBLEMS))
})

test('every generated code is valid, canonical, and reads as itself', () => {
  for (let count = 0; count < 5_000; count++) {
    const code = generateRoomCode()
    assert.match(code.text, NEW_CODE)
    assert.is(numberOf(code.text) % 7n, 0n)
    assert.equal(readRoomCode(code.text), { code })
    const { name, secret } = openNetworkOf(code)
    assert.is(`U/${name.slice('scaffolding-mc-'.length)}-${secret}`, code.text)
  }
})

const PRIVATE_CODE = 'L/0123-4567-89AB-CDEH'

test('the code of a private room says so, wherever it stands, and names no network', () => {
  for (const text of [
    PRIVATE_CODE,
    ` ${PRIVATE_CODE.toLowerCase()} `,
    `快来${PRIVATE_CODE}一起玩`,
    PRIVATE_CODE.replace('01', 'oi'),
    `not U/YNZE-U61D-2206-HXRH but ${PRIVATE_CODE}`,
  ]) {
    assert.equal(readRoomCode(text), { code: { privacy: 'private', text: PRIVATE_CODE } })
  }
  for (let count = 0; count < 2_000; count++) {
    const code = generatePrivateRoomCode()
    assert.match(code.text, NEW_CODE)
    assert.is(numberOf(code.text) % 37n, 0n)
    assert.equal(readRoomCode(code.text), { code })
  }
})

test('the first valid code of either kind counts', () => {
  const open = 'U/YNZE-U61D-2206-HXRG'
  assert.is(readRoomCode(`${open} ${PRIVATE_CODE}`).code?.text, open)
  assert.is(readRoomCode(`${PRIVATE_CODE} ${open}`).code?.text, PRIVATE_CODE)
})

test('in a private code every wrong character and every swap of neighbours is caught', () => {
  for (let count = 0; count < 30; count++) {
    const { text } = generatePrivateRoomCode()
    for (const wrong of [...withOneCharacterChanged(text), ...withTwoCharactersSwapped(text)]) {
      assert.equal(readRoomCode(wrong), { problem: 'checksum' })
    }
  }
})

function withOneCharacterChanged(text: string): readonly string[] {
  const changed = (at: number) =>
    [...alphabet].map((character) => text.slice(0, at) + character + text.slice(at + 1))
  return placesOf(text)
    .flatMap(changed)
    .filter((wrong) => wrong !== text)
}

/** Also over a hyphen. */
function withTwoCharactersSwapped(text: string): readonly string[] {
  const places = placesOf(text)
  const swapped = places.slice(1).map((at, index) => {
    const characters = [...text]
    const before = places[index] ?? 0
    characters[at] = text.charAt(before)
    characters[before] = text.charAt(at)
    return characters.join('')
  })
  return swapped.filter((wrong) => wrong !== text)
}

function placesOf(text: string): readonly number[] {
  return [...text].flatMap((character, at) => (at >= 2 && character !== '-' ? [at] : []))
}

test('a draw that is not valid is thrown away whole', () => {
  const draws = [...Array(16).fill(1), 1, ...Array(15).fill(0), 0, 1, 1, ...Array(13).fill(0)]
  draws[15] = 2
  let at = 0
  const code = generateRoomCode(() => draws[at++] ?? 0)
  assert.is(at, 48)
  assert.is(code.text, 'U/0110-0000-0000-0000')
})

const SAMPLE = 10_000
/** 33 degrees of freedom: mean 33, deviation 8.1. Beyond 100 lies less than one code source in 10^7 that is uniform. */
const BOUND = 100

test('at each position every character is as frequent as every other', () => {
  const codes = Array.from({ length: SAMPLE }, () => generateRoomCode().text.slice(2).replaceAll('-', ''))
  for (let at = 0; at < 16; at++) {
    const statistic = chiSquare(codes.map((code) => code.charAt(at)))
    assert.ok(statistic < BOUND, `position ${at}: ${statistic}`)
  }
})

test('every single wrong character that changes the value modulo 7 is caught', () => {
  for (let count = 0; count < 30; count++) {
    for (const wrong of withOneCharacterChanged(generateRoomCode().text)) {
      if (numberOf(wrong) % 7n === 0n) assert.is(readRoomCode(wrong).code?.text, wrong)
      else assert.equal(readRoomCode(wrong), { problem: 'checksum' })
    }
  }
})

function chiSquare(characters: readonly string[]): number {
  const expected = characters.length / alphabet.length
  const counts = new Map<string, number>()
  for (const character of characters) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...alphabet].reduce(
    (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
    0,
  )
}

test.run()
