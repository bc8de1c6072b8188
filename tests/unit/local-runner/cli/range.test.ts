import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { checkRange, neededSeconds, planRange, type RangeOptions } from '../../../../local-runner/cli/range'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('range of the command line')

const nothing: RangeOptions = { start: 0, end: undefined, cover: undefined, speed: 1 }
const limits = { maxInputSeconds: 600, maxClipSeconds: 60 }

function refused(range: Partial<RangeOptions>, frames: number): string {
  try {
    planRange({ ...nothing, ...range }, frames, 60)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid-request') return error.detail
    throw error
  }
  throw new Error('it was not refused')
}

const plans: readonly [
  string,
  Partial<RangeOptions>,
  number,
  { start: number; length: number; cover: number },
][] = [
  ['three seconds from the begin, with the middle as cover', {}, 300, { start: 0, length: 90, cover: 45 }],
  ['the whole of a shorter video', {}, 61, { start: 0, length: 61, cover: 30 }],
  ['three seconds from the start that was named', { start: 2 }, 300, { start: 60, length: 90, cover: 105 }],
  ['what is left behind it', { start: 8.5 }, 300, { start: 255, length: 45, cover: 277 }],
  ['the range that was named', { start: 1, end: 5 }, 300, { start: 30, length: 120, cover: 90 }],
  ['a cover that was named', { cover: 0.5 }, 300, { start: 0, length: 90, cover: 15 }],
  ['a cover outside, clamped', { cover: 9 }, 300, { start: 0, length: 90, cover: 89 }],
  ['an end one frame too far', { start: 9, end: 10.03 }, 300, { start: 270, length: 30, cover: 285 }],
]
for (const [name, range, frames, expected] of plans)
  test(name, () => {
    const plan = planRange({ ...nothing, ...range }, frames, 60)
    assert.equal({ start: plan.startFrame, length: plan.sourceFrames, cover: plan.coverFrame }, expected)
  })

test('what lies outside of the video is refused with its true length and the option as it was typed', () => {
  assert.is(refused({ end: 12 }, 120), '--end must not lie after the end of the video (4.000 s).')
  assert.is(refused({ cover: 12 }, 120), '--cover must be from 0 to the end of the video (4.000 s).')
  const late = '--start must lie at least 0.1 s before the end of the video (4.000 s).'
  for (const start of [3.95, 4, 5, 500]) assert.is(refused({ start }, 120), late)
  assert.is(refused({}, 2), 'The video lasts only 0.067 s; a clip needs at least 0.1 s.')
})

const wrong: readonly [Partial<RangeOptions>, string][] = [
  [{ start: -1 }, '--start must be 0 or more.'],
  [{ start: 4, end: 3 }, '--start must be less than --end.'],
  [{ start: 4, end: 4 }, '--start must be less than --end.'],
  [{ start: 4, end: 4.05 }, '--end must be at least 0.1 s after --start.'],
  [{ end: -1 }, '--start must be less than --end.'],
  [{ cover: -1 }, '--cover must be from 0 to the end of the video (600.000 s).'],
  [{ speed: 0 }, '--speed must be from 0.1 to 10.'],
  [{ speed: -1 }, '--speed must be from 0.1 to 10.'],
  [{ speed: 10.1 }, '--speed must be from 0.1 to 10.'],
  [
    { end: 61 },
    'The clip would last 61.0 s; at most 60 s are allowed. Choose a shorter range or a higher speed.',
  ],
  [
    { end: 7, speed: 0.1 },
    'The clip would last 70.0 s; at most 60 s are allowed. Choose a shorter range or a higher speed.',
  ],
  ...(['start', 'end', 'cover'] as const).map((option): [Partial<RangeOptions>, string] => [
    { [option]: 601 },
    `--${option} must not lie after 600 s: no more of a video is read. MAX_INPUT_SECONDS sets how much.`,
  ]),
]
for (const [range, message] of wrong)
  test(`${JSON.stringify(range)} is wrong with every video: ${message}`, () => {
    assert.throws(
      () => checkRange({ ...nothing, ...range }, limits),
      (error: unknown) => error instanceof UsageError && error.message === message,
    )
  })

test('of the video as much is needed as the end and the cover say, and a frame', () => {
  const frames = (range: Partial<RangeOptions>) => neededSeconds({ ...nothing, ...range }) * 30
  assert.is(Math.round(frames({})), 91)
  assert.is(Math.round(frames({ start: 2 })), 151)
  assert.is(Math.round(frames({ start: 2, end: 2.5 })), 76)
  assert.is(Math.round(frames({ end: 2.51 })), 77)
  assert.is(Math.round(frames({ end: 1, cover: 5 })), 151)
})

test('a preview that ends where it may never changes the plan', () => {
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
        const outcome = (available: number) => {
          try {
            return planRange(range, available, 60)
          } catch (error) {
            if (!(error instanceof ServiceError)) throw error
            return error.detail
          }
        }
        const prepared = Math.min(frames, Math.round(neededSeconds(range) * 30))
        assert.equal(outcome(prepared), outcome(frames))
      },
    ),
    { numRuns: 2000 },
  )
})

test.run()
