import { ServiceError } from '@lantern-room/base'
import { createDeferred, type Deferred } from '@lantern-room/base/async'
import { JobQueue, type JobRequest, type QueuePlace } from '#internal/media/jobs/jobQueue'
import { codeOf } from '#support/media/prepared'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'

const test = suite('job queue')
const { signal: never } = new AbortController()

function setUp(slots: number) {
  const clock = createFakeClock()
  const queue = new JobQueue(slots, clock)
  const started: string[] = []
  const ends = new Map<string, Deferred<void>>()
  /** Runs until `end(name)`. */
  function run(name: string, request: Partial<JobRequest> = {}): Promise<string> {
    const ended = createDeferred()
    ends.set(name, ended)
    return queue.run({ kind: 'convert', client: { id: 'a' }, signal: never, ...request }, async () => {
      started.push(name)
      await ended.promise
      return name
    })
  }
  const end = async (name: string) => {
    ends.get(name)?.resolve()
    await clock.advance(0)
  }
  return { clock, queue, started, run, end, ends }
}

test('eight jobs of a client wait for each slot; the ninth is refused with the expected wait', async () => {
  const { run, queue, end, clock } = setUp(1)
  const request = { kind: 'prepare', client: { id: 'a' } } as const
  const measured = run('measured', request)
  await clock.advance(60_000)
  await end('measured')
  await measured
  const jobs = Array.from({ length: 9 }, (_, index) => run(`${index}`, request))
  await clock.advance(0)
  const refusal = await rejectedRefusal(run('refused', request), 'too-busy')
  // The mean of the first guess (10 s) and the measured minute, of which the minute counts a fifth: 20 s each.
  assert.is(refusal.retryAfterSeconds, 9 * 20)
  assert.match(refusal.detail, 'Try again in 180 s.')
  assert.throws(() => queue.mustHaveRoom('prepare', { id: 'a' }), /busy/)
  // Another client and another kind still have room.
  queue.mustHaveRoom('prepare', { id: 'b' })
  queue.mustHaveRoom('convert', { id: 'a' })
  for (let index = 0; index < 9; index += 1) await end(`${index}`)
  await Promise.all(jobs)
  queue.mustHaveRoom('prepare', { id: 'a' })
})

test('greedy clients leave room and a turn in the next round to one that has a name, and are counted by it', async () => {
  const { run, queue, end, clock, started } = setUp(1)
  const by = (name: string) => ({ kind: 'prepare', client: { id: `token ${name}`, name } }) as const
  const greedy = ['one', 'two', 'three'].flatMap((name) =>
    Array.from({ length: 8 }, (_, index) => run(`${name} ${index}`, by(name))),
  )
  await clock.advance(0)
  queue.mustHaveRoom('prepare', by('modest').client)
  const modest = run('modest', by('modest'))
  await clock.advance(0)
  assert.equal(queue.count().byClient.get('one'), { running: 1, waiting: 7 })
  assert.equal(queue.count().byClient.get('modest'), { running: 0, waiting: 1 })
  for (const name of ['one 0', 'one 1', 'two 0', 'three 0']) await end(name)
  assert.equal(started.slice(0, 5), ['one 0', 'one 1', 'two 0', 'three 0', 'modest'])
  await end('modest')
  for (let index = 0; index < 8; index += 1)
    for (const name of ['one', 'two', 'three']) await end(`${name} ${index}`)
  await Promise.all([...greedy, modest])
  assert.is(queue.count().byClient.size, 0)
})

test('a waiting job is told its place whenever that changes', async () => {
  const { run, end, clock } = setUp(1)
  const places: QueuePlace[] = []
  const onPlace = (place: QueuePlace) => void places.push(place)
  const leaving = new AbortController()
  const jobs = [
    run('running', { kind: 'prepare' }),
    codeOf(run('left', { kind: 'prepare', client: { id: 'b' }, signal: leaving.signal })),
    run('told', { kind: 'prepare', client: { id: 'c' }, onPlace }),
    run('photo'),
  ]
  await clock.advance(0)
  assert.equal(places, [{ place: 2, waitSeconds: 20 }])
  await end('photo')
  leaving.abort(new ServiceError('unavailable', 'gone'))
  await clock.advance(0)
  assert.equal(places.slice(1), [{ place: 1, waitSeconds: 10 }])
  await end('running')
  await end('told')
  await Promise.all(jobs)
  assert.is(places.length, 2)
})

test('a signal that has aborted before takes no slot', async () => {
  const { run, end } = setUp(1)
  const signal = AbortSignal.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await codeOf(run('left', { signal })), 'unavailable')
  const next = run('next')
  await end('next')
  assert.is(await next, 'next')
})

test('a job that fails frees its slot and is not measured', async () => {
  const { queue, run, clock, end } = setUp(1)
  const request = { kind: 'convert', client: { id: 'a' }, signal: never } as const
  const failing = queue.run(request, () => Promise.reject(new ServiceError('internal', 'no')))
  assert.is(await codeOf(failing), 'internal')
  const places: QueuePlace[] = []
  const jobs = [run('running'), run('next', { onPlace: (place) => void places.push(place) })]
  await clock.advance(0)
  assert.is(places[0]?.waitSeconds, 2)
  await end('running')
  await end('next')
  await Promise.all(jobs)
})

test.run()
