import { distance, segmentEnd } from '#core/easytier/streams/kcp/segments'
import { hexOf, unhex } from '#support/network/easytierVectors'
import { decodeSegments, encodeSegments, type KcpSegment } from '#support/network/kcpSegments'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: KCP segments')

const PUSH: KcpSegment = {
  conv: 0xfedcba98,
  command: 81,
  window: 0x0402,
  timestamp: 0xfffffffe,
  sequence: 0x80000001,
  unacknowledged: 0x01020304,
  data: Uint8Array.of(7, 8, 9),
}
const TELL: KcpSegment = { ...PUSH, command: 84, window: 0xffff, data: new Uint8Array(0) }
const BYTES = '98badcfe51000204feffffff010000800403020103000000070809'
const both = encodeSegments([PUSH, TELL])

test('a segment is written as KCP has it, and several follow each other', () => {
  assert.is(hexOf(encodeSegments([PUSH])), BYTES)
  assert.is(hexOf(both), `${BYTES}98badcfe5400fffffeffffff010000800403020100000000`)
  assert.is(encodeSegments([]).length, 0)
})

test('segments are read, with their data as a view', () => {
  const read = decodeSegments(both)
  assert.equal(read, [PUSH, TELL])
  assert.is(read?.[0]?.data.buffer, both.buffer)
  assert.equal(decodeSegments(new Uint8Array(0)), [])
})

test('a packet that is cut anywhere but between segments is refused', () => {
  for (let length = 1; length < both.length; length++)
    assert.is(decodeSegments(both.subarray(0, length))?.length, length === 27 ? 1 : undefined, `${length}`)
  assert.is(decodeSegments(Uint8Array.of(...both, 0)), undefined)
})

test('unknown commands, pieces of messages and lengths beyond the packet are refused', () => {
  const changed = (at: number, value: number) => {
    const bytes = unhex(BYTES)
    bytes[at] = value
    return [segmentEnd(bytes, 0), decodeSegments(bytes)?.length]
  }
  for (const command of [81, 82, 83, 84]) assert.equal(changed(4, command), [27, 1])
  for (const command of [0, 80, 85, 255]) assert.equal(changed(4, command), [undefined, undefined])
  assert.equal(changed(5, 1), [undefined, undefined])
  for (const at of [20, 23]) assert.equal(changed(at, 255), [undefined, undefined])
  assert.is(segmentEnd(both, 27), 51)
})

test('distances go the short way round', () => {
  assert.equal(
    [distance(5, 3), distance(3, 5), distance(1, 0xffffffff), distance(0xffffffff, 1), distance(7, 7)],
    [2, -2, 2, -2, 0],
  )
})

test.run()
