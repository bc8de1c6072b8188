import { createDeferred } from '#core/async/deferred'
import { Batches } from '#core/media/thumbnails/batches'
import { assert, suite } from '#support/runner/suite'

const test = suite('batches of frames', { setUp })

/** Two jobs at a time that end only when they are told to. */
function setUp({ jobs = 2, maxFrames = 25 } = {}) {
  const batches = new Batches<string>({ jobs, maxFrames })
  const runs: { readonly frames: readonly number[]; end(error?: Error): Promise<void> }[] = []
  let active = 0
  let mostActive = 0
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  const get = (frame: number, { key = 'a', refusal }: { key?: string; refusal?: Error } = {}) =>
    batches.get(key, frame, {
      async run(work) {
        if (refusal) throw refusal
        active += 1
        mostActive = Math.max(mostActive, active)
        await work()
        active -= 1
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
  return { get, runs, settle, mostActive: () => mostActive }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)

test('what comes while jobs run is made together by the next', async ({ get, runs, settle, mostActive }) => {
  const first = get(0)
  await settle()
  const wanted = Promise.all(upTo(50).map((index) => get(49 - index)))
  await settle()
  for (let run = 0; run < runs.length; run += 1) await runs[run]?.end()
  const expected = upTo(50).map((index) => `a${49 - index}`)
  assert.equal(await wanted, expected)
  assert.is(await first, 'a0')
  assert.is(mostActive(), 2)
  assert.ok(runs.length < 10, `${runs.length} runs`)
  for (const { frames } of runs) {
    const ascending = [...frames].sort((one, other) => one - other)
    assert.equal(frames, ascending)
  }
})

test('one frame is made once for all that wait for it', async () => {
  const { get, runs, settle } = setUp({ jobs: 1 })
  const wanted = [get(1), get(7), get(7), get(7)]
  await settle()
  for (let run = 0; run < runs.length; run += 1) await runs[run]?.end()
  assert.equal(await Promise.all(wanted), ['a1', 'a7', 'a7', 'a7'])
  assert.equal(runs.flatMap(({ frames }) => frames).sort(), [1, 7])
})

test('a job is bounded, and frames of different things are never made together', async () => {
  const { get, runs, settle } = setUp({ jobs: 1, maxFrames: 3 })
  const wanted = Promise.all([...upTo(5).map((frame) => get(frame)), get(1, { key: 'b' })])
  await settle()
  for (let run = 0; run < runs.length; run += 1) await runs[run]?.end()
  assert.equal(await wanted, ['a0', 'a1', 'a2', 'a3', 'a4', 'b1'])
  for (const { frames } of runs) assert.ok(frames.length <= 3)
})

test('a failure is that of all frames of its job, and of no other', async () => {
  const { get, runs, settle } = setUp({ jobs: 1 })
  const first = get(0)
  await settle()
  const outcomes = Promise.allSettled([get(1), get(2), get(3, { key: 'b' })])
  await settle()
  await runs[0]?.end()
  for (const [index, { frames }] of runs.entries())
    if (index > 0) await runs[index]?.end(frames.includes(1) ? new Error('broken') : undefined)
  await runs.at(-1)?.end(runs.at(-1)?.frames.includes(1) ? new Error('broken') : undefined)
  assert.is(await first, 'a0')
  const statuses = (await outcomes).map(({ status }) => status)
  assert.equal(statuses, ['rejected', 'rejected', 'fulfilled'])
  const again = get(1)
  await settle()
  await runs.at(-1)?.end()
  assert.is(await again, 'a1')
})

test('a job that is refused refuses its frame; the next request is tried again', async () => {
  const { get, runs, settle } = setUp({ jobs: 1 })
  const refused = await get(1, { refusal: new Error('busy') }).catch((error: Error) => error.message)
  assert.is(refused, 'busy')
  const again = get(1)
  await settle()
  await runs[0]?.end()
  assert.is(await again, 'a1')
})

test('a frame whose job is refused is tried again after the job that runs', async () => {
  const { get, runs, settle } = setUp({ jobs: 2 })
  const first = get(1)
  await settle()
  const second = get(2, { refusal: new Error('busy') }).catch((error: Error) => error.message)
  await settle()
  await runs[0]?.end()
  assert.is(await first, 'a1')
  assert.is(await second, 'busy')
})

test('fewer frames than were asked for are a failure of those that are missing', async () => {
  const batches = new Batches<string>({ jobs: 1, maxFrames: 25 })
  const batch = { run: (work: () => Promise<void>) => Promise.resolve().then(work), make: async () => ['a0'] }
  const outcomes = await Promise.allSettled([batches.get('a', 0, batch), batches.get('a', 1, batch)])
  const statuses = outcomes.map(({ status }) => status)
  assert.equal(statuses, ['fulfilled', 'rejected'])
})

test.run()
