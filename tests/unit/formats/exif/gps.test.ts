import { gpsTags } from '#core/formats/exif/exif'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('the GPS directory')

/** Degrees, minutes and thousandths of a second, as fractions. */
const degrees = (tag: number, ...values: readonly number[]) => ({
  tag,
  rationals: values.map((value, i) => [value, i === 2 ? 1000 : 1]),
})

test('has degrees, minutes and seconds with their hemispheres', () => {
  assert.equal(gpsTags({ latitude: -33.8568, longitude: 151.2153, altitude: 58.25 }), [
    { tag: 0, byteValues: [2, 3, 0, 0] },
    { tag: 1, ascii: 'S' },
    degrees(2, 33, 51, 24_480),
    { tag: 3, ascii: 'E' },
    degrees(4, 151, 12, 55_080),
    { tag: 5, byte: 0 },
    { tag: 6, rational: [58_250, 1000] },
    { tag: 0x12, ascii: 'WGS-84' },
  ])
})

test('rounding never makes 60 seconds', () => {
  const [, , latitude] = gpsTags({ latitude: 9.999_999_999, longitude: 0.5, altitude: undefined })
  assert.equal(latitude, degrees(2, 10, 0, 0))
})

test('below the sea the altitude is positive, and its reference says so', () => {
  const tags = gpsTags({ latitude: 31.5, longitude: 35.5, altitude: -430 })
  assert.equal(tags.slice(5, 7), [
    { tag: 5, byte: 1 },
    { tag: 6, rational: [430_000, 1000] },
  ])
})

test.run()
