import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { suite } from '#support/runner/suite'
import { createDeadlines } from '../../../../handlers/host/deadlines'

const test = suite('the deadlines of a function')
const waited = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('work ends 1.5 s before the function, the response half a second before', async () => {
  const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 1500 })
  await waited(50)
  assert.ok(deadlines.work.aborted)
  assert.instance(deadlines.work.reason, ServiceError)
  assert.is(deadlines.work.reason.code, 'timeout')
  assert.not.ok(deadlines.response.aborted)
  deadlines.clear()
})

test('the response has half a second even where none is left', async () => {
  const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 0 })
  await waited(50)
  assert.equal([deadlines.work.aborted, deadlines.response.aborted], [true, false])
  await waited(550)
  assert.ok(deadlines.response.aborted)
  deadlines.clear()
})

test('without a time limit nothing ends', async () => {
  const deadlines = createDeadlines({})
  await waited(20)
  assert.equal([deadlines.work.aborted, deadlines.response.aborted], [false, false])
  deadlines.clear()
})

test('a client that has left ends both', () => {
  const deadlines = createDeadlines({ getRemainingTimeInMillis: () => 60_000 })
  deadlines.clientLeft()
  assert.equal([deadlines.work.aborted, deadlines.response.aborted], [true, true])
  assert.not.instance(deadlines.work.reason, ServiceError, 'the log tells it from a deadline')
  deadlines.clear()
})

test.run()
