import { viewOf } from '#core/bytes'
import { UNITY_MATRIX } from '#core/formats/mp4/encodeTrack'
import { turnDisplay } from '#core/formats/mp4/track'
import { assert, suite } from '../../../support/runner/suite'

const test = suite('a turned track')

const upright = { matrix: UNITY_MATRIX, width: 320, height: 180 }

const UPRIGHT: readonly (readonly [x: number, y: number])[] = [0, 180].flatMap((y) => [
  [0, y],
  [320, y],
])

/** Where the corners of the picture are shown, as `x,y`. */
function corners(display: typeof upright): string {
  const view = viewOf(display.matrix)
  const at = (index: number) => view.getInt32(index * 4) / 0x10000
  return UPRIGHT.map(([p, q]) => [at(0) * p + at(3) * q + at(6), at(1) * p + at(4) * q + at(7)]).join(' ')
}

const shown = {
  0: '0,0 320,0 0,180 320,180',
  90: '180,0 180,320 0,0 0,320',
  180: '320,180 0,180 320,0 0,0',
  270: '0,320 0,0 180,320 180,0',
}
for (const [degrees, places] of Object.entries(shown)) {
  test(`by ${degrees} degrees clockwise its corners are shown elsewhere`, () => {
    assert.equal(corners(turnDisplay(upright, Number(degrees))), places)
  })
}

test('a rotation comes after the one that the track has', () => {
  const once = turnDisplay(upright, 90)
  assert.equal(corners(turnDisplay(once, 270)), shown[0])
  assert.equal(corners(turnDisplay(once, 180)), shown[270])
  assert.equal(turnDisplay(once, 90).matrix, turnDisplay(upright, 180).matrix)
})

test.run()
