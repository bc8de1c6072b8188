import { distance, segmentEnd } from '#internal/easytier/streams/kcp/segments'
import { hexOf, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { decodeSegments, encodeSegments } from '../kcpSegments'

const test = suite('easytier: KCP segments')

const BYTES = '98badcfe51000204feffffff010000800403020103000000070809'

test('a segment is read and written as KCP has it, with the highest bits too', () => {
  const segments = decodeSegments(unhex(BYTES)) ?? []
  assert.equal(segments, [
    {
      conv: 0xfedcba98,
      command: 81,
      window: 0x0402,
      timestamp: 0xfffffffe,
      sequence: 0x80000001,
      unacknowledged: 0x01020304,
      data: Uint8Array.of(7, 8, 9),
    },
  ])
  assert.is(hexOf(encodeSegments(segments)), BYTES)
})

test('unknown commands, pieces of messages and lengths beyond the packet are refused', () => {
  const changed = (at: number, value: number) => segmentEnd(unhex(BYTES).with(at, value), 0)
  for (const command of [81, 82, 83, 84, 85]) assert.is(changed(4, command), 27)
  for (const command of [0, 80, 86, 255]) assert.is(changed(4, command), undefined)
  assert.is(changed(5, 1), undefined)
  for (const at of [20, 23]) assert.is(changed(at, 255), undefined)
})

test('distances go the short way round', () => {
  assert.equal(
    [distance(5, 3), distance(3, 5), distance(1, 0xffffffff), distance(0xffffffff, 1), distance(7, 7)],
    [2, -2, 2, -2, 0],
  )
})

test.run()
