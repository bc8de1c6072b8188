import fc from 'fast-check'
import {
  checkPhotoRange,
  neededWindow,
  type PhotoRange,
  planPhoto,
} from '#internal/media/photo/make/photoRange'
import { windowFrames } from '#internal/media/preview/window'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { refusalOf, thrownRefusal } from '#support/values/failures'

const test = suite('the range of a photo that is made in one go')

const nothing: PhotoRange = { start: 0, end: undefined, cover: undefined, speed: 1 }

/** Plans a photo of an upload of so many frames, as if its window had been prepared. */
function planOf(range: Partial<PhotoRange>, frames: number, isLengthKnown = true) {
  const whole = { ...nothing, ...range }
  const { firstFrame, maxFrames } = windowFrames(neededWindow(whole), 600)
  const preview = {
    frames: Math.min(maxFrames, frames - firstFrame),
    sourceSeconds: isLengthKnown ? frames / 30 : undefined,
    original: { firstFrame },
  }
  return planPhoto(whole, preview, maxFrames, 60)
}

const refused = (range: Partial<PhotoRange>, frames: number) =>
  thrownRefusal(() => planOf(range, frames), 'out-of-range').detail

type Plan = { start: number; length: number; cover: number }
const plans: readonly [string, Partial<PhotoRange>, number, Plan][] = [
  ['three seconds from the begin, with the middle as cover', {}, 300, { start: 0, length: 90, cover: 45 }],
  ['the whole of a shorter video', {}, 61, { start: 0, length: 61, cover: 30 }],
  ['three seconds from the start that was named', { start: 2 }, 300, { start: 60, length: 90, cover: 105 }],
  ['two seconds for a wallpaper', { wallpaper: true, speed: 2 }, 300, { start: 0, length: 120, cover: 60 }],
  ['what is left behind it', { start: 8.5 }, 300, { start: 255, length: 45, cover: 277 }],
  ['the range that was named', { start: 1, end: 5 }, 300, { start: 30, length: 120, cover: 90 }],
  ['a cover that was named', { cover: 0.5 }, 300, { start: 0, length: 90, cover: 15 }],
  ['a cover outside, clamped', { cover: 9 }, 300, { start: 0, length: 90, cover: 89 }],
  ['three seconds of an hour', { start: 3000 }, 108_000, { start: 90_000, length: 90, cover: 90_045 }],
  ['an end one frame too far', { start: 9, end: 10.03 }, 300, { start: 270, length: 30, cover: 285 }],
]
for (const [name, range, frames, expected] of plans)
  test(name, () => {
    const plan = planOf(range, frames)
    assert.equal({ start: plan.startFrame, length: plan.sourceFrames, cover: plan.coverFrame }, expected)
  })

test('what lies outside of the video is refused with its true length', () => {
  assert.is(refused({ end: 12 }, 120), 'range_end must not lie after the end of the video (4.000 s).')
  assert.is(refused({ cover: 12 }, 120), 'cover_time must be from 0 to the end of the video (4.000 s).')
  const late = 'range_start must lie at least 0.1 s before the end of the video (4.000 s).'
  assert.is(refused({ start: 3.95 }, 120), late)
  assert.is(refused({}, 2), 'The video lasts only 0.067 s; a clip needs at least 0.1 s.')
})

test('only what is wrong with every video is refused before the work', () => {
  const limits = { maxInputSeconds: 600, maxClipSeconds: 60 }
  const check = (range: Partial<PhotoRange>) => () => checkPhotoRange({ ...nothing, ...range }, limits)
  check({ start: 36_000, end: 36_060, cover: 5 })()
  assert.throws(check({ cover: -1 }), /cover_time must be 0 or more/)
  assert.throws(check({ end: 601, speed: 10 }), /range_end must be at most 600 s after range_start/)
  assert.throws(check({ end: 61 }), /at most 60 s/)
})

test('of the video the range is needed, and a frame', () => {
  const needed = (range: Partial<PhotoRange>) => {
    const { firstFrame, maxFrames } = windowFrames(neededWindow({ ...nothing, ...range }), 600)
    return [firstFrame, firstFrame + maxFrames]
  }
  assert.equal(needed({}), [0, 91])
  assert.equal(needed({ start: 2 }), [60, 151])
  assert.equal(needed({ start: 2, end: 2.51 }), [60, 77])
  assert.equal(needed({ start: 3000, cover: 5 }), [90_000, 90_091])
})

test('the plan is the same as for a preview of the whole video', () => {
  const seconds = fc.double({ min: 0, max: 20, noNaN: true })
  const maybe = fc.option(seconds, { nil: undefined })
  assertProperty(
    fc.property(
      fc.record({
        start: seconds,
        end: maybe,
        cover: maybe,
        speed: fc.double({ min: 0.5, max: 4, noNaN: true }),
      }),
      fc.integer({ min: 1, max: 900 }),
      (range, frames) => {
        const { firstFrame } = windowFrames(neededWindow(range), 600)
        // A window after the end is refused when it is prepared.
        fc.pre(firstFrame < frames)
        const outcome = (work: () => unknown) => refusalOf(work) ?? work()
        const whole = { frames, sourceSeconds: frames / 30, original: { firstFrame: 0 } }
        assert.equal(
          outcome(() => planOf(range, frames)),
          outcome(() => planPhoto(range, whole, frames + 1, 60)),
        )
      },
    ),
    { numRuns: 2000 },
  )
})

test.run()
