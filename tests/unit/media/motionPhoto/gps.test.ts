import { gpsTags } from '#core/media/motionPhoto/gps'
import { assert, suite } from '#support/runner/suite'

const test = suite('the GPS directory')

test('has degrees, minutes and seconds with their hemispheres', () => {
  assert.equal(gpsTags({ latitude: -33.8568, longitude: 151.2153, altitude: 58.25 }), [
    { tag: 0, byteValues: [2, 3, 0, 0] },
    { tag: 1, ascii: 'S' },
    {
      tag: 2,
      rationals: [
        [33, 1],
        [51, 1],
        [24_480, 1000],
      ],
    },
    { tag: 3, ascii: 'E' },
    {
      tag: 4,
      rationals: [
        [151, 1],
        [12, 1],
        [55_080, 1000],
      ],
    },
    { tag: 5, byte: 0 },
    { tag: 6, rational: [58_250, 1000] },
    { tag: 0x12, ascii: 'WGS-84' },
  ])
})

test('rounding never makes 60 seconds', () => {
  const [, , latitude] = gpsTags({ latitude: 9.999_999_999, longitude: 0.5, altitude: undefined })
  assert.equal(latitude, {
    tag: 2,
    rationals: [
      [10, 1],
      [0, 1],
      [0, 1000],
    ],
  })
})

test('below the sea the altitude is positive, and its reference says so', () => {
  const tags = gpsTags({ latitude: 31.5, longitude: 35.5, altitude: -430 })
  assert.equal(tags.slice(5, 7), [
    { tag: 5, byte: 1 },
    { tag: 6, rational: [430_000, 1000] },
  ])
})
