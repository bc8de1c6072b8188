import {
  croppedPlaces,
  joinPlaces,
  movedArea,
  SAME_PLACES,
  turnedPlaces,
} from '#internal/formats/exif/photoChange'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('where pixels of a photo are now')

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
    const { x, y, width, height } = movedArea(corner, turnedPlaces(Number(orientation))) ?? corner
    assert.equal([x, y, width, height], place, orientation)
  }
})

test('an area outside of a crop is none, and one change follows the other', () => {
  const right = croppedPlaces({ x: 50, y: 0, width: 50, height: 100 }, { width: 100, height: 100 })
  assert.is(movedArea({ x: 0.25, y: 0.5, width: 0, height: 0 }, right), undefined)
  const turned = joinPlaces([SAME_PLACES, right, turnedPlaces(6)])
  assert.equal(movedArea({ x: 0.75, y: 0.25, width: 0.5, height: 0.5 }, turned), {
    x: 0.75,
    y: 0.5,
    width: 0.5,
    height: 1,
  })
})

test.run()
