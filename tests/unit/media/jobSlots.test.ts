import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { createJobSlots } from '#core/media/jobSlots'
import { suite } from '#support/runner/suite'

const test = suite('job slots')
const { signal: never } = new AbortController()

test('so many run at a time, the others in the order of arrival', async () => {
  const slots = createJobSlots({ running: 2, waiting: 10 })
  const started: number[] = []
  const doors = [0, 1, 2, 3].map(() => deferred())
  const jobs = doors.map(({ promise }, index) =>
    slots.run(never, async () => {
      started.push(index)
      await promise
      return index
    }),
  )
  await tick()
  assert.equal(started, [0, 1])
  doors[1]?.resolve()
  await tick()
  assert.equal(started, [0, 1, 2])
  doors[0]?.resolve()
  doors[2]?.resolve()
  doors[3]?.resolve()
  assert.equal(await Promise.all(jobs), [0, 1, 2, 3])
  assert.equal(started, [0, 1, 2, 3])
})

test('one too many is told to come again, and says so beforehand', async () => {
  const slots = createJobSlots({ running: 1, waiting: 1 })
  const door = deferred()
  const running = slots.run(never, () => door.promise)
  assert.is(slots.isFull(), false)
  const waiting = slots.run(never, async () => 'second')
  assert.is(slots.isFull(), true)
  assert.is(await codeOf(slots.run(never, async () => 'third')), 'too-busy')
  door.resolve()
  await running
  assert.is(await waiting, 'second')
  assert.is(slots.isFull(), false)
})

test('a job that fails gives its turn back', async () => {
  const slots = createJobSlots({ running: 1, waiting: 0 })
  await slots.run(never, () => Promise.reject(new Error('no'))).catch(() => undefined)
  assert.is(await slots.run(never, async () => 'next'), 'next')
})

test('who leaves the queue never starts, and lets the one behind him pass', async () => {
  const slots = createJobSlots({ running: 1, waiting: 2 })
  const door = deferred()
  const leaving = new AbortController()
  const first = slots.run(never, () => door.promise)
  let hasStarted = false
  const second = slots.run(leaving.signal, async () => {
    hasStarted = true
  })
  const third = slots.run(never, async () => 'third')
  leaving.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await codeOf(second), 'unavailable')
  door.resolve()
  await first
  assert.is(await third, 'third')
  assert.is(hasStarted, false)
})

test('who has left before does not take a turn', async () => {
  const slots = createJobSlots({ running: 1, waiting: 0 })
  const left = AbortSignal.abort(new ServiceError('unavailable', 'gone'))
  assert.is(await codeOf(slots.run(left, async () => 1)), 'unavailable')
  assert.is(await slots.run(never, async () => 2), 2)
})

test.run()

const tick = () => new Promise((resolve) => setImmediate(resolve))

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'fulfilled',
    (error) => (error instanceof ServiceError ? error.code : String(error)),
  )
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
