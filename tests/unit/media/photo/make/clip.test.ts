import fc from 'fast-check'
import { frameAt, secondsText } from '#internal/media/frames'
import { type ClipRequest, planClip } from '#internal/media/photo/make/clip'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { thrownRefusal } from '#support/values/failures'

const test = suite('clip plan')

const FRAMES = 300
const request: ClipRequest = { start: 1, end: 4, cover: 2, speed: 1 }
const plan = (change: Partial<ClipRequest>, frames = FRAMES, maxClipSeconds = 60) =>
  planClip({ ...request, ...change }, frames, maxClipSeconds)

test('seconds become frames', () => {
  assert.equal(plan({}), { startFrame: 30, sourceFrames: 90, clipFrames: 90, speed: 1, coverFrame: 60 })
})

test('speed changes the frames of the clip and nothing else', () => {
  for (const [speed, clipFrames] of [
    [0.1, 900],
    [0.5, 180],
    [1.5, 60],
    [2, 45],
    [3, 30],
    [10, 9],
  ] as const) {
    const { clipFrames: made, sourceFrames, startFrame } = plan({ speed })
    assert.equal([made, sourceFrames, startFrame], [clipFrames, 90, 30], `speed ${speed}`)
  }
})

test('decimals of a frame begin with the frame that is shown then', () => {
  assert.is(plan({ start: 1.033 }).startFrame, 30)
  assert.is(plan({ start: 1.0333333 }).startFrame, 31)
  assert.is(plan({ start: 1.06 }).startFrame, 31)
  assert.is(plan({ start: 0.1 + 0.2 }).startFrame, 9)
})

test('a cover outside the range is moved into it', () => {
  assert.is(plan({ cover: 0 }).coverFrame, 30)
  assert.is(plan({ cover: 9 }).coverFrame, 119)
  assert.is(plan({ cover: 4 }).coverFrame, 119)
})

test('one frame past the end is the end', () => {
  const end = { start: 5, end: 10 + 1 / 30, cover: 10 + 1 / 30 }
  const { startFrame, sourceFrames, clipFrames, coverFrame } = plan(end)
  assert.equal([startFrame, sourceFrames, clipFrames, coverFrame], [150, 150, 150, 299])
})

const refused: readonly [Partial<ClipRequest>, string][] = [
  [{ start: -0.001 }, 'range_start must be 0 or more'],
  [{ end: 10.04 }, 'range_end must not lie after the end of the preview (10.000 s)'],
  [{ start: 4 }, 'range_start must be less than range_end'],
  [{ start: 5 }, 'range_start must be less than range_end'],
  [{ end: 1.09 }, 'range_end must be at least 0.1 s after range_start'],
  [{ speed: 0.099 }, 'speed must be from 0.1 to 10'],
  [{ speed: 10.01 }, 'speed must be from 0.1 to 10'],
  [{ speed: -1 }, 'speed must be'],
  [{ cover: -1 }, 'cover_time must be from 0'],
  [{ cover: 10.04 }, 'cover_time must be from 0 to the end of the preview (10.000 s)'],
  [{ start: 0, end: 10, speed: 0.1 }, 'The clip would last 100.0 s; at most 60 s are allowed'],
  [{ start: 0, end: 3, wallpaper: true }, 'wallpaper=true needs a clip of 1.5 to 2 s'],
  [{ start: 0, end: 2, speed: 1.5, wallpaper: true }, 'Choose another range_end or speed.'],
  [{ start: Number.NaN }, 'range_start'],
  [{ end: Number.POSITIVE_INFINITY }, 'range_end'],
]
for (const [change, words] of refused) {
  test(`${JSON.stringify(change)} is refused: ${words}`, () => {
    assert.ok(thrownRefusal(() => plan(change), 'invalid-request').detail.includes(words))
  })
}

test('exactly at the limits nothing is refused', () => {
  plan({ start: 0, end: 0.1 })
  plan({ start: 0.2, end: 0.3 })
  plan({ start: 0, end: 10, speed: 10 })
  plan({ start: 0, end: 6, speed: 0.1 })
  for (const end of [1.5, 2]) plan({ start: 0, end, wallpaper: true })
  assert.is(planClip({ ...request, end: 4 }, FRAMES, 3).clipFrames, 90)
})

test('a clip that would be shorter than a frame is one frame', () => {
  const shortest = { start: 0, end: 0.099999, cover: 0 }
  assert.is(planClip({ ...shortest, speed: 4.000_000_24 }, 2, 600).clipFrames, 1)
  assert.is(planClip({ ...shortest, speed: 10 }, 2, 600).clipFrames, 1)
})

test('whatever is accepted lies inside the preview and is as long as it must be', () => {
  const seconds = fc.double({ min: 0, max: 12, noNaN: true })
  assertProperty(
    fc.property(
      seconds,
      seconds,
      seconds,
      fc.double({ min: 0.1, max: 10, noNaN: true }),
      fc.integer({ min: 1, max: 360 }),
      (start, end, cover, speed, frames) => {
        let made: ReturnType<typeof planClip>
        try {
          made = planClip({ start, end, cover, speed }, frames, 600)
        } catch {
          return
        }
        const { startFrame, sourceFrames, clipFrames, coverFrame } = made
        assert.ok(startFrame >= 0 && sourceFrames >= 1 && startFrame + sourceFrames <= frames)
        assert.ok(coverFrame >= startFrame && coverFrame < startFrame + sourceFrames)
        const exactFrames = ((Math.min(end, frames / 30) - start) / speed) * 30
        // A clip of less than a frame is one frame long.
        assert.ok(Math.abs(clipFrames - Math.max(exactFrames, 1)) <= 0.5 + 1e-7)
      },
    ),
    { numRuns: 2000 },
  )
})

test('every frame is the frame at its own time, however it is written', () => {
  for (let frame = 0; frame < 20_000; frame += 1) {
    assert.is(frameAt(frame / 30), frame)
    assert.is(frameAt(Number(secondsText(frame / 30))), frame)
  }
  assert.is(frameAt(-1), 0)
})

test.run()
