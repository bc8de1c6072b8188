import * as assert from 'uvu/assert'
import { ServiceError } from '#core/errors'
import { clientSignal } from '#core/http/clientSignal'
import { suite } from '#support/runner/suite'

const test = suite('the signal of a request')

function requestWith(controller: AbortController): AbortSignal {
  return clientSignal(new Request('http://media.test', { signal: controller.signal }))
}

test('does not abort by itself', () => {
  assert.not.ok(requestWith(new AbortController()).aborted)
})

test('passes on an error as it is', () => {
  const controller = new AbortController()
  const signal = requestWith(controller)
  const reason = new ServiceError('timeout', 'late')
  controller.abort(reason)
  assert.ok(signal.aborted)
  assert.is(signal.reason, reason)
})

test('makes an error of any other reason', () => {
  for (const reason of ['gone', 7, null]) {
    const controller = new AbortController()
    const signal = requestWith(controller)
    controller.abort(reason)
    assert.instance(signal.reason, ServiceError)
    assert.is(signal.reason.code, 'unavailable')
    assert.is(signal.reason.cause, reason)
  }
})

test('is aborted from the start when the request is', () => {
  const controller = new AbortController()
  controller.abort('gone')
  assert.is(requestWith(controller).reason.cause, 'gone')
})

test.run()
