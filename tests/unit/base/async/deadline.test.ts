import { withDeadline, within } from '#internal/base/async/deadline'
import { createDeferred } from '#internal/base/async/deferred'
import { raceSignal } from '#internal/base/async/onAbort'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'

const test = suite('deadlines')
const late = new Error('too late')
const lateError = () => late
const untilStopped = (signal: AbortSignal) => raceSignal(new Promise(() => {}), signal)

test('withDeadline gives what the work gives, and leaves no timer', async () => {
  const clock = createFakeClock()
  assert.is(await withDeadline(clock, 100, undefined, lateError, async () => 7), 7)
  assert.is(clock.timers, 0)
})

test('withDeadline aborts the signal of the work after the time', async () => {
  const clock = createFakeClock()
  const failed = rejection(withDeadline(clock, 100, undefined, lateError, untilStopped))
  await clock.advance(99)
  assert.is(clock.timers, 1)
  await clock.advance(1)
  assert.is(await failed, late)
  assert.is(clock.timers, 0)
})

test('withDeadline aborts the work with the reason of the outer signal', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const stopped = new Error('stopped')
  const failed = rejection(withDeadline(clock, 100, controller.signal, lateError, untilStopped))
  controller.abort(stopped)
  assert.is(await failed, stopped)
  assert.is(clock.timers, 0)
})

test('within gives up waiting after the time, and handles what the work does later', async () => {
  const clock = createFakeClock()
  const work = createDeferred<number>()
  const failed = rejection(within(clock, 50, work.promise, lateError))
  await clock.advance(50)
  assert.is(await failed, late)
  work.reject(new Error('nobody listens'))
})

test('within leaves no timer behind a result', async () => {
  const clock = createFakeClock()
  assert.is(await within(clock, 50, Promise.resolve(2), lateError), 2)
  assert.is(clock.timers, 0)
})

test.run()
