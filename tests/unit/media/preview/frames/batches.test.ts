import { createDeferred } from '@lantern-room/base/async'
import { Batches } from '#internal/media/preview/frames/batches'
import { assert, suite } from '#support/runner/suite'

const test = suite('batches of frames', { setUp })

/** Jobs that end only when they are told to. */
function setUp() {
  const batches = new Batches<string>(3)
  const runs: { readonly frames: readonly number[]; end(error?: Error): Promise<void> }[] = []
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const get = (frame: number, { key = 'a', refusal }: { key?: string; refusal?: Error } = {}) =>
    batches.get(key, frame, {
      async run(work) {
        if (refusal) throw refusal
        await work()
      },
      async make(frames) {
        const ended = createDeferred()
        runs.push({
          frames,
          async end(error) {
            if (error) ended.reject(error)
            else ended.resolve()
            await settle()
          },
        })
        await ended.promise
        return frames.map((one) => `${key}${one}`)
      },
    })
  return { batches, get, runs, settle }
}

test('what comes while a job runs is made by the next ones, in ascending order', async ({
  get,
  runs,
  settle,
}) => {
  const first = get(9)
  await settle()
  const others = Promise.all([8, 7, 6, 5].map((frame) => get(frame)))
  const ofOther = get(1, { key: 'b' })
  await settle()
  assert.equal(
    runs.map(({ frames }) => frames),
    [[9], [1]],
    'different things are never made together',
  )
  for (let run = 0; run < runs.length; run += 1) await runs[run]?.end()
  assert.equal([await first, ...(await others), await ofOther], ['a9', 'a8', 'a7', 'a6', 'a5', 'b1'])
  assert.equal(
    runs.slice(2).map(({ frames }) => frames),
    [[6, 7, 8], [5]],
  )
})

test('a failure is that of all frames of its job, and of no other', async ({ get, runs, settle }) => {
  const first = get(0)
  await settle()
  const outcomes = Promise.allSettled([1, 2, 3, 4].map((frame) => get(frame)))
  await runs[0]?.end()
  await runs[1]?.end(new Error('broken'))
  await runs[2]?.end()
  assert.is(await first, 'a0')
  const statuses = (await outcomes).map(({ status }) => status)
  assert.equal(statuses, ['rejected', 'rejected', 'rejected', 'fulfilled'])
})

test('a job that is refused refuses its frame; the next request is tried again', async ({
  get,
  runs,
  settle,
}) => {
  const refused = await get(1, { refusal: new Error('busy') }).catch((error: Error) => error.message)
  assert.is(refused, 'busy')
  const again = get(1)
  await settle()
  await runs[0]?.end()
  assert.is(await again, 'a1')
})

test('fewer frames than were asked for are a failure of those that are missing', async ({ batches }) => {
  const batch = { run: (work: () => Promise<void>) => Promise.resolve().then(work), make: async () => ['a0'] }
  const outcomes = await Promise.allSettled([batches.get('a', 0, batch), batches.get('a', 1, batch)])
  const statuses = outcomes.map(({ status }) => status)
  assert.equal(statuses, ['fulfilled', 'rejected'])
})

test.run()
