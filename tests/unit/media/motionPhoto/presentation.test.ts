import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { presentationTimestampUs } from '#core/media/motionPhoto/presentation'
import { suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('presentation timestamp')

const at = { coverSeconds: 2, startSeconds: 1, speed: 1, clipFrames: 90, fps: 30 }

const cases: [string, Partial<typeof at>, number][] = [
  ['it counts from the start of the clip', {}, 1_000_000],
  ['twice the speed is half the time', { speed: 2 }, 500_000],
  ['a tenth of the speed is ten times the time', { coverSeconds: 1.1, speed: 0.1 }, 1_000_000],
  ['a third of a second is frame 10', { speed: 3 }, 333_333],
  ['a time between frames goes to the nearer one, later', { coverSeconds: 1.02 }, 33_333],
  ['a time between frames goes to the nearer one, earlier', { coverSeconds: 1.016 }, 0],
  ['a cover before the clip is its first frame', { coverSeconds: 0.5 }, 0],
  ['a cover after the clip is its last frame', { coverSeconds: 9 }, 2_966_667],
  ['the end of the clip is its last frame', { coverSeconds: 4 }, 2_966_667],
  ['a clip of one frame has only that', { coverSeconds: 3, clipFrames: 1 }, 0],
]
for (const [name, change, expected] of cases) {
  test(name, () => assert.is(presentationTimestampUs({ ...at, ...change }), expected))
}

test('it is always a whole microsecond on a frame inside the clip', () => {
  const seconds = fc.double({ min: 0, max: 600, noNaN: true })
  const speed = fc.double({ min: 0.1, max: 10, noNaN: true })
  assertProperty(
    fc.property(
      seconds,
      seconds,
      speed,
      fc.integer({ min: 1, max: 1800 }),
      (cover, start, factor, clipFrames) => {
        const time = presentationTimestampUs({
          coverSeconds: cover,
          startSeconds: start,
          speed: factor,
          clipFrames,
          fps: 30,
        })
        const frame = Math.round((time * 30) / 1e6)
        assert.ok(Number.isInteger(time) && frame >= 0 && frame < clipFrames)
        assert.is(time, Math.round((frame * 1e6) / 30))
      },
    ),
  )
})

test.run()
