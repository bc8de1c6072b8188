import { concatBytes } from '@lantern-room/base/bytes'
import { hevcStream } from '#internal/mp4/video/hevcStream'
import { hex } from '#support/values/hex'
import { assert, suite } from '../../../support/runner/suite'
import { equalBytes } from '../../../support/values/equalBytes'

const test = suite('byte streams of HEVC')

/** Two lists with a set each; lengths of two bytes. */
const configuration = concatBytes([
  hex('01').slice(),
  new Uint8Array(20),
  hex('01 02 a0 0001 0002 4001 a1 0001 0003 420102'),
])

test('parameter sets and units stand after start codes', () => {
  const stream = hevcStream(configuration, hex('0003 260102 0002 2805')) ?? hex('')
  equalBytes(stream, hex('00000001 4001 00000001 420102 00000001 260102 00000001 2805'))
})

test('what is cut is no stream', () => {
  const sample = hex('0003 260102')
  for (let length = 0; length < configuration.length; length++)
    assert.is(hevcStream(configuration.subarray(0, length), sample), undefined, `${length} bytes`)
  for (let length = 1; length < sample.length; length++)
    assert.is(hevcStream(configuration, sample.subarray(0, length)), undefined, `${length} bytes`)
  assert.is(hevcStream(configuration, hex('0000')), undefined, 'a unit without bytes')
})

test('a picture of as many units as may be is a stream, one of millions is none', () => {
  const units = (count: number) => hevcStream(configuration, concatBytes(Array(count).fill(hex('0001 26'))))
  assert.is(units(600)?.length, 13 + 600 * 5)
  assert.is(units(10_000), undefined)
})

test.run()
