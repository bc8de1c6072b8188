import * as fc from 'fast-check'
import {
  emptySchedule,
  enqueue,
  type Job,
  type JobKind,
  lineOf,
  MAX_PASSED_OVER,
  remove,
  type Schedule,
  startNext,
} from '#internal/media/jobs/schedule'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'

const test = suite('schedule of jobs')

const KINDS = { t: 'thumbnail', c: 'convert', p: 'prepare' } as const satisfies Record<string, JobKind>

/** Jobs as `c:alice` (a conversion of alice) or `p:bob/1` (a preview of bob, who may have one running); ids from 1. */
function jobsOf(words: string): readonly Job[] {
  return words
    .split(' ')
    .filter(Boolean)
    .map((word, index) => {
      const [, kind = 'c', id = '', max] = /^([tcp]):(\w+)(?:\/(\d+))?$/.exec(word) ?? []
      const maxJobs = max === undefined ? undefined : Number(max)
      return { id: index + 1, kind: KINDS[kind as keyof typeof KINDS], client: { id, maxJobs } }
    })
}

/** The ids in the order in which they start on one slot, each ending before the next starts. */
function orderOnOneSlot(words: string): readonly number[] {
  let schedule = jobsOf(words).reduce(enqueue, emptySchedule(1))
  const order: number[] = []
  for (let next = startNext(schedule); next; next = startNext(schedule)) {
    order.push(next.job.id)
    schedule = remove(next.schedule, next.job.id)
  }
  return order
}

const table: readonly (readonly [title: string, jobs: string, order: readonly number[]])[] = [
  ['nothing waits', '', []],
  ['one client: in the order of arrival', 'c:a c:a t:a', [1, 2, 3]],
  ['thumbnails and conversions before previews', 'p:a p:a c:a t:a', [3, 4, 1, 2]],
  ['clients take turns', 'c:a c:a c:a c:b c:b c:c', [1, 4, 6, 2, 5, 3]],
  ['clients take turns in the line of previews', 'p:a p:a p:a p:b', [1, 4, 2, 3]],
  ['the turn is by client, not by kind', 't:a t:a t:a c:b', [1, 4, 2, 3]],
  [
    'after eight quick jobs a preview has its turn',
    'p:b c:a c:a c:a c:a c:a c:a c:a c:a c:a c:a',
    [2, 3, 4, 5, 6, 7, 8, 9, 1, 10, 11],
  ],
]

for (const [title, words, order] of table) {
  test(title, () => assert.equal(orderOnOneSlot(words), order))
}

test('so many run at a time as there are slots, and one quick job beside previews that take all of them', () => {
  assert.equal(runningAtOnce(2, 'c:a c:b c:c'), [1, 2])
  assert.equal(runningAtOnce(2, 'p:a p:b p:c'), [1, 2])
  assert.equal(runningAtOnce(2, 'p:a c:b c:c'), [2, 3])
  const previews = startAll(jobsOf('p:a p:b').reduce(enqueue, emptySchedule(2)))
  const [, , one, other] = jobsOf('p:a p:b c:c c:d')
  assert.ok(one && other)
  assert.equal(runningIn(startAll(enqueue(enqueue(previews, one), other))), [1, 2, 3])
})

test('a client with a limit of its own leaves the slots to others', () => {
  assert.equal(runningAtOnce(2, 'c:a/1 c:a/1 c:b'), [1, 3])
  const full = startAll(jobsOf('c:a/1 c:a/1 c:b').reduce(enqueue, emptySchedule(2)))
  assert.equal(runningIn(startAll(remove(full, 1))), [3, 2])
})

test('a client that comes back after its job waits no longer than a new one', () => {
  const [first, second, third, again] = jobsOf('c:a c:b c:b c:a')
  assert.ok(first && second && third && again)
  let schedule = startAll([first, second, third].reduce(enqueue, emptySchedule(1)))
  schedule = startAll(enqueue(remove(schedule, first.id), again))
  assert.equal(runningIn(schedule), [2])
  assert.equal(runningIn(startAll(remove(schedule, 2))), [3])
})

test('a withdrawn job never starts, and an unknown one changes nothing', () => {
  const schedule = jobsOf('c:a c:b').reduce(enqueue, emptySchedule(1))
  assert.is(startNext(remove(schedule, 1))?.job.id, 2)
  assert.equal(remove(schedule, 99), schedule)
})

type Step =
  | { readonly kind: 'arrive'; readonly job: JobKind; readonly client: number }
  | { readonly kind: 'end' | 'withdraw'; readonly pick: number }

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('arrive' as const),
      job: fc.constantFrom<JobKind>('thumbnail', 'convert', 'prepare'),
      client: fc.nat(4),
    }),
    fc.record({ kind: fc.constantFrom('end' as const, 'withdraw' as const), pick: fc.nat(50) }),
  ),
  { maxLength: 80 },
)

test('no job is lost or started twice, and no more run than may', () => {
  assertProperty(
    fc.property(steps, fc.integer({ min: 1, max: 4 }), (list: Step[], slots) => {
      const started = new Map<number, number>()
      let arrived = 0
      let withdrawn = 0
      let schedule = emptySchedule(slots)
      const startAndCheck = () => {
        for (let next = startNext(schedule); next; next = startNext(schedule)) {
          schedule = next.schedule
          started.set(next.job.id, (started.get(next.job.id) ?? 0) + 1)
        }
        const quick = schedule.running.filter((job) => lineOf(job) === 'quick')
        assert.ok(schedule.running.length <= slots + 1)
        assert.ok(schedule.running.length - quick.length <= slots)
        assert.ok(quick.length <= slots)
        for (const { client } of schedule.running) {
          const count = schedule.running.filter((job) => job.client.id === client.id).length
          assert.ok(count <= (client.maxJobs ?? count))
        }
      }
      for (const step of list) {
        if (step.kind === 'arrive') {
          arrived += 1
          // The client 0 has a limit of its own.
          const client = { id: String(step.client), maxJobs: step.client === 0 ? 1 : undefined }
          schedule = enqueue(schedule, { id: arrived, kind: step.job, client })
        } else if (step.kind === 'end') {
          schedule = remove(schedule, pickFrom(schedule.running, step.pick))
        } else {
          const before = waitingOf(schedule).length
          schedule = remove(schedule, pickFrom(waitingOf(schedule), step.pick))
          withdrawn += before - waitingOf(schedule).length
        }
        startAndCheck()
      }
      while (schedule.running.length > 0) {
        schedule = remove(schedule, schedule.running[0]?.id ?? 0)
        startAndCheck()
      }
      assert.is(waitingOf(schedule).length, 0)
      assert.is(started.size + withdrawn, arrived)
      assert.ok([...started.values()].every((count) => count === 1))
    }),
    { numRuns: 300 },
  )
})

test('no client starves, whatever others send afterwards', () => {
  const crowd = fc.array(
    fc.record({ job: fc.constantFrom<JobKind>('convert', 'prepare'), client: fc.nat(6) }),
    { maxLength: 40 },
  )
  assertProperty(
    fc.property(crowd, fc.constantFrom<JobKind>('convert', 'prepare'), (before, kind) => {
      let id = 0
      const arrive = (schedule: Schedule, job: JobKind, client: string) => {
        id += 1
        return enqueue(schedule, { id, kind: job, client: { id: client } })
      }
      let schedule = before.reduce((at, { job, client }) => arrive(at, job, String(client)), emptySchedule(1))
      const clientsBefore = new Set(before.map(({ client }) => client)).size
      schedule = arrive(schedule, kind, 'patient')
      const patient = id
      // Each client has at most two jobs in the rounds up to this one; quick jobs pass a preview so many times.
      const bound = 2 * clientsBefore * (kind === 'prepare' ? 1 + MAX_PASSED_OVER : 2) + MAX_PASSED_OVER + 1
      for (let starts = 0; ; starts += 1) {
        assert.ok(starts <= bound, `more than ${bound} others started`)
        // A stream of new clients and of old ones, with jobs of both lines.
        for (const one of [`new ${starts}`, '0']) {
          schedule = arrive(schedule, 'convert', one)
          schedule = arrive(schedule, 'prepare', one)
        }
        const next = startNext(schedule)
        if (!next || next.job.id === patient) break
        schedule = remove(next.schedule, next.job.id)
      }
    }),
  )
})

function startAll(schedule: Schedule): Schedule {
  const next = startNext(schedule)
  return next ? startAll(next.schedule) : schedule
}

function runningAtOnce(slots: number, words: string): readonly number[] {
  return runningIn(startAll(jobsOf(words).reduce(enqueue, emptySchedule(slots))))
}

function runningIn({ running }: Schedule): readonly number[] {
  return running.map(({ id }) => id)
}

function waitingOf({ waiting }: Schedule): readonly Job[] {
  return [...waiting.quick, ...waiting.slow]
}

function pickFrom(jobs: readonly Job[], pick: number): number {
  return jobs[pick % Math.max(1, jobs.length)]?.id ?? 0
}

test.run()
