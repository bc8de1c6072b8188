import fc from 'fast-check'
import { checkWindow, requireInside, startsTooLate, windowFrames } from '#internal/media/preview/window'
import { WHOLE } from '#support/media/prepared'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { refusalOf } from '#support/values/failures'

const test = suite('the window of an upload')

const window = (from: number, to: number | undefined, mustFit = true) => ({ from, to, mustFit })
const refusal = (work: () => void) => refusalOf(work) ?? 'allowed'

const checks: readonly [number, number | undefined, string][] = [
  [0, undefined, 'allowed'],
  [36_000, 36_600, 'allowed'],
  [-0.1, 3, 'invalid-request: from must be 0 or more.'],
  [3, 3, 'invalid-request: from must be less than to.'],
  [4, 3, 'invalid-request: from must be less than to.'],
  [3, 3.05, 'invalid-request: to must be at least 0.1 s after from.'],
  [3, 3.1, 'allowed'],
  [
    0,
    601,
    'invalid-request: to must be at most 600 s after from: a preview cannot be longer. Choose a shorter part.',
  ],
]
for (const [from, to, expected] of checks)
  test(`from ${from} to ${to}: ${expected}`, () => {
    assert.is(
      refusal(() => checkWindow(window(from, to), 600)),
      expected,
    )
  })

const inside: readonly [number, number | undefined, boolean, number | undefined, string][] = [
  [0, undefined, true, 4, 'allowed'],
  [3.9, undefined, true, 4, 'allowed'],
  [0, 4.04, true, 4, 'allowed'],
  [1, 9, true, undefined, 'allowed'],
  [1, 9, false, 4, 'allowed'],
  [1, 9, true, 4, 'out-of-range: to must not lie after the end of the file (4.000 s).'],
  [4, undefined, true, 4, 'out-of-range: from must lie before the end of the file (4.000 s).'],
  [5, 6, false, 4, 'out-of-range: from must lie before the end of the file (4.000 s).'],
]
for (const [from, to, mustFit, seconds, expected] of inside)
  test(`from ${from} to ${to} of ${seconds} s, fitting ${mustFit}: ${expected}`, () => {
    const check = () => requireInside(window(from, to, mustFit), seconds)
    assert.is(refusal(check), expected)
  })

test('where the length is not known the refusal names none', () => {
  assert.is(startsTooLate(undefined).detail, 'from must lie before the end of the file.')
})

test('a window begins with the frame that is shown at from, and ends before to', () => {
  assert.equal(windowFrames(WHOLE, 600), { firstFrame: 0, maxFrames: 18_000 })
  assert.equal(windowFrames(window(300, 303), 600), { firstFrame: 9000, maxFrames: 90 })
  assert.equal(windowFrames(window(1.02, 2), 600), { firstFrame: 30, maxFrames: 30 })
  assert.equal(windowFrames(window(1, 2.01), 600), { firstFrame: 30, maxFrames: 31 })
  assert.equal(windowFrames(window(5, undefined), 2), { firstFrame: 150, maxFrames: 60 })
})

test('every window covers its times, and is no longer than is allowed', () => {
  const seconds = fc.double({ min: 0, max: 40_000, noNaN: true })
  assertProperty(
    fc.property(seconds, fc.double({ min: 0.1, max: 700, noNaN: true }), (from, length) => {
      const { firstFrame, maxFrames } = windowFrames(window(from, from + length), 600)
      assert.ok(firstFrame / 30 <= from + 1e-4 && (firstFrame + 1) / 30 > from - 1e-4)
      assert.ok(maxFrames >= 1 && maxFrames <= 18_000)
      if (length < 599) assert.ok((firstFrame + maxFrames) / 30 >= from + length - 1e-4)
    }),
  )
})

test.run()
