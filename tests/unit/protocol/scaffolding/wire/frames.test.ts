import * as fc from 'fast-check'
import {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  MAX_BODY,
  MAX_DATA,
} from '#internal/protocol/scaffolding/wire/frames'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { isRangeError, isRefusal } from '#support/values/failures'
import { hex, toHex } from '#support/values/hex'
import { exchanges } from '../hosted'

const test = suite('frames of the room protocol')

const isTooLarge = isRefusal('payload-too-large')

for (const { name, request, response } of exchanges) {
  test(`${name}: the request is read whole and written the same`, () => {
    const decoded = decodeRequest(request)
    assert.is(decoded?.length, request.length)
    assert.is(decoded && toHex(encodeRequest(decoded.value)), toHex(request))
  })

  test(`${name}: nothing is read from a cut request`, () => {
    for (let length = 0; length < request.length; length++) {
      assert.is(decodeRequest(request.subarray(0, length)), undefined, `${length} bytes`)
    }
  })

  if (response.length === 1) continue
  test(`${name}: the response is read whole and written the same; cut, not at all`, () => {
    const decoded = decodeResponse(response)
    assert.is(decoded?.length, response.length)
    assert.is(decoded && toHex(encodeResponse(decoded.value)), toHex(response))
    for (let length = 0; length < response.length; length++) {
      assert.is(decodeResponse(response.subarray(0, length)), undefined, `${length} bytes`)
    }
  })
}

test('what follows a frame is left alone', () => {
  const decoded = decodeRequest(hex('06 633a70696e67 00000003 010203 06 63'))
  assert.equal(decoded, { value: { kind: 'c:ping', body: hex('010203') }, length: 14 })
})

test('a decoded body is a copy', () => {
  const bytes = hex('01 61 00000001 01')
  const decoded = decodeRequest(bytes)
  bytes.fill(0xff)
  assert.equal(decoded?.value, { kind: 'a', body: hex('01') })
})

test('a body of 64 KiB is taken; one byte more is refused before it arrives', () => {
  const largest = { kind: 'c:ping', body: new Uint8Array(MAX_BODY) }
  assert.equal(decodeRequest(encodeRequest(largest))?.value, largest)
  assert.is(decodeRequest(hex('06 633a70696e67 00010000')), undefined)
  assert.throws(() => decodeRequest(hex('06 633a70696e67 00010001')), isTooLarge)
  assert.throws(() => decodeRequest(hex('00 ffffffff')), isTooLarge)
  assert.throws(() => encodeRequest({ kind: 'c:ping', body: new Uint8Array(MAX_BODY + 1) }), isRangeError)
})

test('data of 1 MiB is taken; one byte more is refused before it arrives', () => {
  const largest = { status: 0, data: new Uint8Array(MAX_DATA) }
  assert.is(decodeResponse(encodeResponse(largest))?.value.data.length, MAX_DATA)
  assert.throws(() => decodeResponse(hex('00 00100001')), isTooLarge)
  assert.throws(() => encodeResponse({ status: 0, data: new Uint8Array(MAX_DATA + 1) }), isRangeError)
})

test('a kind has 255 bytes at most, not characters', () => {
  const longest = { kind: 'é'.repeat(127), body: hex('') }
  assert.equal(decodeRequest(encodeRequest(longest))?.value, longest)
  assert.throws(() => encodeRequest({ kind: 'é'.repeat(128), body: hex('') }), isRangeError)
})

test('a status is a byte', () => {
  for (const status of [-1, 256, 1.5, Number.NaN]) {
    assert.throws(() => encodeResponse({ status, data: hex('') }), isRangeError)
  }
})

test('a kind that is not UTF-8, or begins with a byte order mark, is no command’s name', () => {
  assert.is(decodeRequest(hex('03 633aff 00000000'))?.value.kind, 'c:\uFFFD')
  assert.is(decodeRequest(hex('09 efbbbf633a70696e67 00000000'))?.value.kind, '\uFEFFc:ping')
})

test('all frames come back as they went', () => {
  const bytes = fc.uint8Array({ maxLength: 300 })
  assertProperty(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), bytes, (kind, body) => {
      assert.equal(decodeRequest(encodeRequest({ kind, body }))?.value, { kind, body })
    }),
  )
  assertProperty(
    fc.property(fc.integer({ min: 0, max: 255 }), bytes, (status, data) => {
      assert.equal(decodeResponse(encodeResponse({ status, data }))?.value, { status, data })
    }),
  )
})

test.run()
