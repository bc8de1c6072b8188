import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { readNow } from '@lantern-room/mp4/source'
import {
  coverFrameOf,
  encodeHuaweiTail,
  HUAWEI_TAIL_SIZE,
  readHuaweiTail,
} from '#internal/formats/motionPhoto/huawei'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('Huawei tail')

const read = (file: Uint8Array) => readNow(readHuaweiTail({ size: file.length }), file)

test('the tail is three fields of 20 bytes', () => {
  const expected = 'v3_f45              0:0                 LIVE_1234567        '
  equalBytes(encodeHuaweiTail(1_234_547, 45), asciiBytes(expected))
  assert.is(HUAWEI_TAIL_SIZE, 60)
})

test('what was written is read', () => {
  const file = concatBytes([new Uint8Array(100), new Uint8Array(900), encodeHuaweiTail(900, 7)])
  assert.equal(read(file), { coverFrame: 7, clipOffset: 100 })
})

test('tails of phones have other versions and play information', () => {
  const tail = asciiBytes('v2_f15_c            0:1500              LIVE_920            ')
  assert.equal(read(concatBytes([new Uint8Array(1000), tail])), { coverFrame: 15, clipOffset: 100 })
  const odd = asciiBytes('?                   0:1500              LIVE_920            ')
  assert.is(read(concatBytes([new Uint8Array(1000), odd]))?.coverFrame, undefined)
})

test('the frame of a time lies in the clip', () => {
  const clip = { frames: 90, durationSeconds: 3 }
  const frames = [-5, 0, 16_000, 17_000, 1_500_000, 2_999_999, 9e9].map((us) => coverFrameOf(us, clip))
  assert.equal(frames, [0, 0, 0, 1, 45, 89, 89])
  assert.is(coverFrameOf(5, { frames: 0, durationSeconds: 0 }), 0)
})

test('another end is none', () => {
  const ends = ['', 'LIVE_920', 'LIVE_                ', 'LIVE_12x            ', ' LIVE_12            ']
  for (const end of ends) {
    assert.is(read(asciiBytes('x'.repeat(100) + end)), undefined, end)
  }
})

test.run()
