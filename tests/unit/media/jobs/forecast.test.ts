import { forecastStarts } from '#internal/media/jobs/forecast'
import { emptySchedule, enqueue, type JobKind, startNext } from '#internal/media/jobs/schedule'
import { assert, suite } from '#support/runner/suite'

const test = suite('forecast of the queue')

const durations: Readonly<Record<JobKind, number>> = { thumbnail: 100, convert: 1000, prepare: 10_000 }
const timing = (ranMs: number) => ({ durationMs: (kind: JobKind) => durations[kind], ranMs: () => ranMs })

const job = (id: number, kind: JobKind, client = 'a') => ({ id, kind, client: { id: client } })

test('waits add up on one slot, the rest of the running job first', () => {
  const started = startNext(enqueue(emptySchedule(1), job(1, 'convert')))
  assert.ok(started)
  const jobs = [job(2, 'convert'), job(3, 'prepare'), job(4, 'thumbnail', 'b')]
  const forecasts = forecastStarts(jobs.reduce(enqueue, started.schedule), timing(400))
  const told = forecasts.map(({ job: { id }, place, waitMs }) => `${id} at ${place} in ${waitMs} ms`)
  assert.equal(told, ['2 at 1 in 600 ms', '4 at 2 in 1600 ms', '3 at 3 in 1700 ms'])
})

test('several slots share the work', () => {
  const schedule = [1, 2, 3, 4, 5].map((id) => job(id, 'convert')).reduce(enqueue, emptySchedule(2))
  const waits = forecastStarts(schedule, timing(0)).map(({ waitMs }) => waitMs)
  assert.equal(waits, [0, 0, 1000, 1000, 2000])
})

test('a job that takes longer than expected may end at any moment', () => {
  const started = startNext(enqueue(emptySchedule(1), job(1, 'thumbnail')))
  assert.ok(started)
  const [next] = forecastStarts(enqueue(started.schedule, job(2, 'convert')), timing(5000))
  assert.is(next?.waitMs, 0)
})

test.run()
