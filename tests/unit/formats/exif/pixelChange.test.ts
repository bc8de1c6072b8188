import { PixelChange } from '#internal/formats/exif/pixelChange'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('where pixels of a photo are now')

const tall = { width: 90, height: 160 }
const corner = { x: 0.25, y: 0.125, width: 0.5, height: 0.25 }

test('each orientation turns an area as the picture is shown', () => {
  const shown: Record<number, readonly number[]> = {
    1: [0.25, 0.125, 0.5, 0.25],
    2: [0.75, 0.125, 0.5, 0.25],
    3: [0.75, 0.875, 0.5, 0.25],
    4: [0.25, 0.875, 0.5, 0.25],
    5: [0.125, 0.25, 0.25, 0.5],
    6: [0.875, 0.25, 0.25, 0.5],
    7: [0.875, 0.75, 0.25, 0.5],
    8: [0.125, 0.75, 0.25, 0.5],
  }
  for (const [orientation, place] of Object.entries(shown)) {
    const { x, y, width, height } =
      PixelChange.none(tall).turned(Number(orientation)).areaOf(corner) ?? corner
    assert.equal([x, y, width, height], place, orientation)
  }
})

test('an area outside of a crop is none, and one change follows the other', () => {
  const right = PixelChange.none({ width: 100, height: 100 }).cropped({ x: 50, y: 0, width: 50, height: 100 })
  assert.is(right.areaOf({ x: 0.25, y: 0.5, width: 0, height: 0 }), undefined)
  assert.equal(right.turned(6).areaOf({ x: 0.75, y: 0.25, width: 0.5, height: 0.5 }), {
    x: 0.75,
    y: 0.5,
    width: 0.5,
    height: 1,
  })
})

test('the size and the scale follow each step', () => {
  const cropped = PixelChange.none(tall).cropped({ x: 10, y: 20, width: 40, height: 60 })
  const changes = [
    cropped,
    cropped.turned(2),
    cropped.turned(6),
    cropped.turned(6).scaled({ width: 30, height: 20 }),
  ]
  const seen = changes.map(({ from, to, scale }) => [from, to, Number(scale.toFixed(6))])
  assert.equal(seen, [
    [tall, { width: 40, height: 60 }, 1],
    [tall, { width: 40, height: 60 }, -1],
    [tall, { width: 60, height: 40 }, -1],
    [tall, { width: 30, height: 20 }, -0.5],
  ])
})

test.run()
