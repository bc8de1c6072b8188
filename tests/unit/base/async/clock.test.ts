import { createAlarm, sleep } from '#internal/base/async/clock'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { hasResolved } from '#support/values/hasResolved'

const test = suite('alarm')

test('a sleep ends after its time', async () => {
  const clock = createFakeClock()
  const slept = sleep(clock, 100, new AbortController().signal)
  const isOver = hasResolved(slept)
  await clock.advance(99)
  assert.not.ok(isOver())
  await clock.advance(1)
  await slept
  assert.ok(isOver())
})

test('a wake-up ends a sleep and leaves no timer', async () => {
  const clock = createFakeClock()
  const alarm = createAlarm(clock)
  const slept = alarm.wait(100, new AbortController().signal)
  alarm.wake()
  await slept
  assert.is(clock.timers, 0)
})

test('a wake-up while nothing sleeps ends the next sleep at once, and only that one', async () => {
  const clock = createFakeClock()
  const alarm = createAlarm(clock)
  const { signal } = new AbortController()
  alarm.wake()
  alarm.wake()
  await alarm.wait(100, signal)
  assert.is(clock.timers, 0)
  void alarm.wait(100, signal)
  await clock.advance(0)
  assert.is(clock.timers, 1)
})

test('a sleep is ended by its signal with the reason', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const reason = new Error('stopped')
  const failed = rejection(sleep(clock, 100, controller.signal))
  controller.abort(reason)
  assert.is(await failed, reason)
  assert.is(clock.timers, 0)
})

test('a signal that has aborted lets nothing sleep', async () => {
  const clock = createFakeClock()
  const reason = new Error('stopped')
  assert.is(await rejection(sleep(clock, 100, AbortSignal.abort(reason))), reason)
  assert.is(clock.timers, 0)
})

test.run()
