import {
  asciiBytes,
  concatBytes,
  equalBytes,
  hasBytesAt,
  latin1,
  parseJson,
  viewOf,
} from '#internal/base/bytes/bytes'
import { assert, suite } from '#support/runner/suite'

const test = suite('bytes')

test('a view covers a part of a larger buffer and nothing else', () => {
  const part = Uint8Array.of(9, 1, 2, 9).subarray(1, 3)
  const view = viewOf(part)
  assert.is(view.byteLength, 2)
  assert.is(view.getUint16(0), 0x0102)
})

test('arrays are joined in order, also empty ones, into a new one', () => {
  const first = Uint8Array.of(1)
  const joined = concatBytes([first, new Uint8Array(0), Uint8Array.of(2, 3)])
  first[0] = 9
  assert.equal([...joined], [1, 2, 3])
  assert.is(concatBytes([]).length, 0)
})

test('arrays are equal by length and content', () => {
  assert.ok(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2)))
  assert.not.ok(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 3)))
  assert.not.ok(equalBytes(Uint8Array.of(1, 2), Uint8Array.of(1, 2, 0)))
  assert.not.ok(equalBytes(Uint8Array.of(1, 2, 0), Uint8Array.of(1, 2)))
})

test('latin1 gives one character for each byte in the range, and ends with the bytes', () => {
  const bytes = Uint8Array.of(0x66, 0xe9, 0x00, 0xff)
  assert.is(latin1(bytes), 'f\u00e9\u0000\u00ff')
  assert.is(latin1(bytes, 1, 2), '\u00e9')
  assert.is(latin1(bytes, 3, 9), '\u00ff')
  assert.equal([...asciiBytes('ftyp')], [0x66, 0x74, 0x79, 0x70])
})

test('bytes are found at a place only when they fit there whole', () => {
  const bytes = asciiBytes('abcab')
  assert.ok(hasBytesAt(bytes, 3, asciiBytes('ab')))
  assert.not.ok(hasBytesAt(bytes, 2, asciiBytes('ab')))
  assert.not.ok(hasBytesAt(bytes, 4, asciiBytes('ba')))
  assert.not.ok(hasBytesAt(bytes, -1, asciiBytes('ab')))
})

test('text and UTF-8 bytes are parsed alike', () => {
  for (const value of [null, false, 0, '', 'é😀', [1, [2]], { a: { b: null } }]) {
    const text = JSON.stringify(value)
    assert.equal(parseJson(text), value)
    assert.equal(parseJson(new TextEncoder().encode(text)), value)
  }
})

test('what is not JSON is undefined', () => {
  for (const text of ['', ' ', '{', '{}x', 'undefined', "{'a':1}", 'NaN']) {
    assert.is(parseJson(text), undefined)
    assert.is(parseJson(new TextEncoder().encode(text)), undefined)
  }
})

test('a long text is read as a short one, and takes a few bytes for each letter', () => {
  const bytes = new Uint8Array(16_000_000).map((_, at) => at + 0xff)
  const before = process.resourceUsage().maxRSS
  const text = latin1(bytes)
  assert.is(text.indexOf('\x80\x9f'), -1)
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024
  assert.ok(megabytes < 200, `${megabytes} MB`)
  assert.is(text.length, bytes.length)
  const every = Array.from({ length: 256 }, (_, code) => String.fromCharCode((code + 0xff) & 0xff)).join('')
  assert.is(text.slice(0, 256), every)
  assert.is(latin1(bytes, 256, 600), every + every.slice(0, 88))
  assert.is(latin1(bytes.subarray(0, 300), 10), every.slice(10) + every.slice(0, 44))
})

test.run()
