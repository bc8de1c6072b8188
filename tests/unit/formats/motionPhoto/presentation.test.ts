import fc from 'fast-check'
import { isStillTime, presentationTimestampUs } from '#internal/formats/motionPhoto/presentation'
import { assert, suite } from '../../../support/runner/suite'
import { assertProperty } from '../../../support/values/assertProperty'

const test = suite('presentation timestamp')

/** Every frame of three seconds at 30 a second. */
const times = Array.from({ length: 90 }, (_, frame) => frame / 30)

const cases: [string, number, number][] = [
  ['a time of a frame is that time', 1, 1_000_000],
  ['a third of a second is frame 10', 1 / 3, 333_333],
  ['a time between frames goes to the nearer one, later', 0.02, 33_333],
  ['a time between frames goes to the nearer one, earlier', 0.016, 0],
  ['a cover before the clip is its first frame', -0.5, 0],
  ['a cover after the clip is its last frame', 9, 2_966_667],
]
for (const [name, coverSeconds, expected] of cases) {
  test(name, () => assert.is(presentationTimestampUs(coverSeconds, times), expected))
}

test('a clip of one frame has only that', () => {
  assert.is(presentationTimestampUs(3, [0]), 0)
})

test('it is always the whole microsecond of the nearest frame, at any rate', () => {
  const seconds = fc.double({ min: 0, max: 600, noNaN: true })
  assertProperty(
    fc.property(seconds, fc.array(seconds, { minLength: 1 }), (cover, shown) => {
      const time = presentationTimestampUs(cover, shown)
      assert.ok(shown.some((frame) => Math.round(frame * 1e6) === time))
      assert.ok(shown.every((frame) => Math.abs(frame - cover) >= Math.abs(time / 1e6 - cover) - 1e-6))
    }),
  )
})

test('a still may be of a moment just after the clip, as cameras take it', () => {
  const isStill = (us: number) => isStillTime(us, 2.934033)
  assert.equal([0, 2_934_033, 2_990_844, 3_034_033].map(isStill), [true, true, true, true])
  assert.equal([-1, 3_034_034].map(isStill), [false, false])
})

test.run()
