import { ServiceError } from '#core/errors'
import { withFakeTimers } from '#support/network/fakeTimers'
import { assert, suite } from '#support/runner/suite'
import { createDeadlines } from '../../../../handlers/host/deadlines'

const test = suite('the deadlines of a function')

test('work ends 1.5 s before the function, the response half a second before', () =>
  withFakeTimers(async (clock) => {
    const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 30_000 })
    const areOver = () => [deadlines.work.aborted, deadlines.response.aborted]
    await clock.advance(28_499)
    assert.equal(areOver(), [false, false])
    await clock.advance(1)
    assert.equal(areOver(), [true, false])
    assert.instance(deadlines.work.reason, ServiceError)
    assert.is(deadlines.work.reason.code, 'timeout')
    await clock.advance(999)
    assert.equal(areOver(), [true, false])
    await clock.advance(1)
    assert.equal(areOver(), [true, true])
  }))

test('the response has half a second even where none is left', () =>
  withFakeTimers(async (clock) => {
    const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 0 })
    await clock.advance(499)
    assert.equal([deadlines.work.aborted, deadlines.response.aborted], [true, false])
    await clock.advance(1)
    assert.ok(deadlines.response.aborted)
  }))

test('without a time limit nothing ends, and what is cleared does not either', () =>
  withFakeTimers(async (clock) => {
    const unlimited = createDeadlines({})
    assert.is(clock.timers, 0)
    const cleared = createDeadlines({ getRemainingTimeInMillis: () => 30_000 })
    cleared.clear()
    assert.is(clock.timers, 0)
    for (const { work, response } of [unlimited, cleared])
      assert.equal([work.aborted, response.aborted], [false, false])
  }))

test('a client that has left ends both', () => {
  const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 60_000 })
  deadlines.clientLeft()
  assert.equal([deadlines.work.aborted, deadlines.response.aborted], [true, true])
  assert.not.instance(deadlines.work.reason, ServiceError, 'the log tells it from a deadline')
  deadlines.clear()
})

test.run()
