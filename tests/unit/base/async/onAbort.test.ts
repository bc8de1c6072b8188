import { getEventListeners } from 'node:events'
import { createDeferred } from '#internal/base/async/deferred'
import { abortable, onAbort, raceSignal, untilAborted } from '#internal/base/async/onAbort'
import { assert, suite } from '#support/runner/suite'
import { rejection } from '#support/values/failures'
import { hasResolved } from '#support/values/hasResolved'

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

test('a signal has one listener for all that wait for it, and none when nothing waits', () => {
  const { signal } = new AbortController()
  const unsubscribes = Array.from({ length: 12 }, () => onAbort(signal, () => undefined))
  assert.is(getEventListeners(signal, 'abort').length, 1)
  for (const unsubscribe of unsubscribes) {
    unsubscribe()
    unsubscribe()
  }
  assert.is(getEventListeners(signal, 'abort').length, 0)
  onAbort(signal, () => undefined)
  assert.is(getEventListeners(signal, 'abort').length, 1)
})

test('all are called in order, the same function as often as it waits, and none that unsubscribes meanwhile', () => {
  const controller = new AbortController()
  const calls: string[] = []
  const again = () => calls.push('again')
  onAbort(controller.signal, again)
  onAbort(controller.signal, () => unsubscribe())
  const unsubscribe = onAbort(controller.signal, () => calls.push('left'))
  onAbort(controller.signal, again)
  onAbort(controller.signal, () => calls.push('last'))
  controller.abort()
  assert.equal(calls, ['again', 'again', 'last'])
})

const problem = new Error('stopped')

test('rejects with the reason of the signal, and handles the later rejection of the work', async () => {
  const work = createDeferred<number>()
  const controller = new AbortController()
  const race = raceSignal(work.promise, controller.signal)
  controller.abort(problem)
  assert.is(await rejection(race), problem)
  work.reject(new Error('nobody listens'))
})

test('rejects at once for a signal that has aborted, also where the work is done', async () => {
  assert.is(await rejection(raceSignal(Promise.resolve(1), AbortSignal.abort(problem))), problem)
})

test('untilAborted resolves when the signal aborts, and at once when it has', async () => {
  const controller = new AbortController()
  const over = untilAborted(controller.signal)
  const isOver = hasResolved(over)
  await Promise.resolve()
  assert.not.ok(isOver())
  controller.abort()
  await over
  await untilAborted(controller.signal)
  assert.ok(isOver())
})

async function* numbers(onEnd: () => void) {
  try {
    for (let number = 1; number <= 3; number++) yield number
  } finally {
    onEnd()
  }
}

test('after an abort no further item is given, and what they come from is closed', async () => {
  const stop = new AbortController()
  const reason = new Error('stopped')
  const seen: number[] = []
  let isClosed = false
  const items = abortable(
    numbers(() => {
      isClosed = true
    }),
    stop.signal,
  )
  const reading = async () => {
    for await (const number of items) {
      seen.push(number)
      stop.abort(reason)
    }
  }
  assert.is(await rejection(reading()), reason)
  assert.equal([seen, isClosed], [[1], true])
})

test.run()
