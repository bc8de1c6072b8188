import { ServiceError } from '#core/errors'
import type { PhotoRange } from '#core/media/oneShot/photoRange'
import { assert, suite } from '#support/runner/suite'
import { checkRange, inWordsOfOptions } from '../../../../local-runner/cli/failure'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'

const test = suite('range of the command line')

const nothing: PhotoRange = { start: 0, end: undefined, cover: undefined, speed: 1 }
const limits = { maxInputSeconds: 600, maxClipSeconds: 60 }

const wrong: readonly [Partial<PhotoRange>, string][] = [
  [{ start: -1 }, '--start must be 0 or more.'],
  [{ start: 4, end: 3 }, '--start must be less than --end.'],
  [{ start: 4, end: 4.05 }, '--end must be at least 0.1 s after --start.'],
  [{ cover: -1 }, '--cover must be 0 or more.'],
  [{ speed: 0 }, '--speed must be from 0.1 to 10.'],
  [
    { end: 61 },
    'The clip would last 61.0 s; at most 60 s are allowed. Choose a shorter range or a higher speed.',
  ],
  [{ end: 601 }, '--end must be at most 600 s after --start. Choose a shorter range.'],
]
for (const [range, message] of wrong)
  test(`${JSON.stringify(range)} is wrong with every video: ${message}`, () => {
    assert.throws(
      () => checkRange({ ...nothing, ...range }, limits),
      (error: unknown) => error instanceof UsageError && error.message === message,
    )
  })

test('a range may lie anywhere in a video', () => {
  checkRange({ ...nothing, start: 36_000, end: 36_003, cover: 36_001 }, limits)
})

test('a refusal of the work names the options, other errors pass', async () => {
  const failing = (error: unknown) =>
    inWordsOfOptions(() => Promise.reject(error)).catch((thrown: unknown) => thrown)
  const refused = await failing(
    new ServiceError('out-of-range', (nameOf) => `${nameOf('range_start')} must lie earlier.`),
  )
  assert.is(refused instanceof ServiceError && refused.detail, '--start must lie earlier.')
  const other = new ServiceError('timeout', 'range_start took too long.')
  assert.is(await failing(other), other)
})

test.run()
