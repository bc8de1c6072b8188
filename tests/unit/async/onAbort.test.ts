import * as assert from 'uvu/assert'
import { onAbort } from '#core/async/onAbort'
import { suite } from '#support/runner/suite'

const test = suite('onAbort')

test('is called once, when the signal aborts', () => {
  const controller = new AbortController()
  let calls = 0
  onAbort(controller.signal, () => {
    calls += 1
  })
  assert.is(calls, 0)
  controller.abort()
  controller.abort()
  assert.is(calls, 1)
})

test('is called at once for a signal that has aborted', () => {
  let calls = 0
  const unsubscribe = onAbort(AbortSignal.abort(), () => {
    calls += 1
  })
  assert.is(calls, 1)
  unsubscribe()
})

test('is not called after it has unsubscribed', () => {
  const controller = new AbortController()
  let calls = 0
  const unsubscribe = onAbort(controller.signal, () => {
    calls += 1
  })
  unsubscribe()
  controller.abort()
  assert.is(calls, 0)
})

test.run()
