import { latin1 } from '@lantern-room/base/bytes'
import { walkJpeg } from '#internal/formats/jpeg/jpeg'
import { computeGainMap, encodeGainMap } from '#internal/formats/newPhoto/gainMap'
import { assert, suite } from '../../../support/runner/suite'
import { baselineJpeg } from '../motionPhoto/sampleJpeg'

const test = suite('gain map')

/** Grey pixels: planes of light, and RGB of a rendition. */
function grey(light: readonly number[], rendition: readonly number[]) {
  const size = { width: light.length, height: 1 }
  const planes = Float32Array.from([...light, ...light, ...light])
  return computeGainMap(planes, Uint8Array.from(rendition.flatMap((value) => [value, value, value])), size)
}

test('it says how many times brighter the light is, as a power of two', () => {
  const { pixels, min, max } = grey([1, 4, 0], [255, 255, 0])
  assert.is(min, 0)
  assert.ok(Math.abs(max - Math.log2((4 + 1 / 64) / (1 + 1 / 64))) < 1e-6)
  assert.equal([...pixels], [0, 255, 0])
})

test('a picture that is no brighter has a range all the same', () => {
  const { pixels, min, max } = grey([1, 0], [255, 0])
  assert.equal([min, max], [0, 0.1])
  assert.equal([...pixels], [0, 0])
})

test('values that no picture has are kept within what the format knows', () => {
  const { min, max } = grey([1e9, Number.NaN, -5, 0], [0, 255, 255, 255])
  assert.equal([min, max.toFixed(3)], [-1, Math.log2(10_000 / 203).toFixed(3)])
})

test('each colour counts as much as it shines', () => {
  const red = computeGainMap(Float32Array.of(0, 0, 4), Uint8Array.of(255, 0, 0), { width: 1, height: 1 })
  assert.ok(Math.abs(red.max - Math.log2((4 * 0.2126 + 1 / 64) / (0.2126 + 1 / 64))) < 1e-6)
})

test('its JPEG has the numbers, and nothing else of its own', () => {
  const jpeg = encodeGainMap({ min: -0.25, max: 2.5 }, baselineJpeg)
  assert.ok(jpeg)
  assert.is(walkJpeg(jpeg)?.end, jpeg.length)
  const text = latin1(jpeg)
  for (const field of [
    'GainMapMin="-0.250000"',
    'GainMapMax="2.500000"',
    'OffsetSDR="0.015625"',
    'HDRCapacityMax="2.500000"',
  ])
    assert.ok(text.includes(`hdrgm:${field}`), field)
  assert.is(encodeGainMap({ min: 0, max: 1 }, baselineJpeg.subarray(0, 40)), undefined)
})

test.run()
