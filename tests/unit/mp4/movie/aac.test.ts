import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAacEntry, readAacChannels, readAdtsFrames, silentAacFrame } from '#internal/mp4/movie/aac'
import { encodeBox } from '#internal/mp4/movie/boxes'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { isRangeError } from '../../../support/values/failures'

const test = suite('AAC')

test('frames are taken out of their ADTS headers, with and without a checksum', () => {
  const plain = hex('fff1 4c80 013f fc aabb')
  const checked = hex('fff0 4c80 017f fc 1234 ccdd')
  assert.equal(readAdtsFrames(concatBytes([plain, checked])), [hex('aabb'), hex('ccdd')])
  assert.equal(readAdtsFrames(new Uint8Array()), [])
})

test('what is no such stream, or is cut anywhere, is refused', () => {
  const stream = hex('fff1 4c80 013f fc aabb')
  for (let length = 1; length < stream.length; length++) {
    assert.is(readAdtsFrames(stream.subarray(0, length)), undefined)
  }
  assert.is(readAdtsFrames(hex('fff1 4c80 00df fc aabb')), undefined, 'a size smaller than the header')
  assert.is(readAdtsFrames(hex('ffe1 4c80 013f fc aabb')), undefined)
})

test('the description says how many channels there are, not the count before it', () => {
  for (const channels of [1, 2]) {
    const entry = encodeAacEntry(48_000, channels)
    assert.is(readAacChannels(entry), channels)
    // Many writers say 2 whatever it is.
    assert.is(readAacChannels(entry.with(25, 2)), channels)
  }
  assert.throws(() => encodeAacEntry(47_000, 2), isRangeError)
})

test('lengths of several bytes are read; what is missing or unusual is not', () => {
  const entry = (esds: Uint8Array) =>
    encodeBox('mp4a', new Uint8Array(28), encodeBox('esds', new Uint8Array(4), esds))
  const decoder = '40150000000000000000000000'
  assert.is(readAacChannels(entry(hex(`03808080 1a 000000 04808080 12 ${decoder} 05 02 1188`))), 1)
  assert.is(readAacChannels(entry(hex(`03 14 000000 04 11 ${decoder} 05 02 2b92`))), undefined, 'HE-AAC')
  assert.is(readAacChannels(entry(hex(`03 14 000000 04 11 ${decoder} 05 01 11`))), undefined, 'cut')
  assert.is(readAacChannels(entry(hex('03'))), undefined)
  assert.is(readAacChannels(encodeBox('mp4a', new Uint8Array(28))), undefined)
})

test('silence exists for one and two channels', () => {
  assert.ok(silentAacFrame(1) && silentAacFrame(2))
  assert.is(silentAacFrame(6), undefined)
})

test.run()
