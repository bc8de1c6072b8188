import { bothOrNone } from '#internal/base/async/bothOrNone'
import { createDeferred } from '#internal/base/async/deferred'
import { raceSignal } from '#internal/base/async/onAbort'
import { assert, suite } from '#support/runner/suite'

const test = suite('both or none')
const { signal: never } = new AbortController()

const untilStopped = (signal: AbortSignal) => raceSignal(new Promise<never>(() => undefined), signal)

test('both results come together', async () => {
  assert.equal(
    await bothOrNone(
      never,
      async () => 1,
      async () => 'two',
    ),
    [1, 'two'],
  )
})

test('the first failure aborts the other step, and is what is thrown', async () => {
  for (const isFirst of [true, false]) {
    const fail = () => Promise.reject(new Error('broken'))
    const work = isFirst ? bothOrNone(never, fail, untilStopped) : bothOrNone(never, untilStopped, fail)
    assert.is(await work.catch(({ message }) => message), 'broken')
  }
})

test('it settles only when both have ended', async () => {
  const slow = createDeferred()
  let isSettled = false
  const work = bothOrNone(
    never,
    () => Promise.reject(new Error('broken')),
    () => slow.promise,
  ).catch(() => {
    isSettled = true
  })
  await new Promise(setImmediate)
  assert.not.ok(isSettled)
  slow.resolve()
  await work
  assert.ok(isSettled)
})

test('an abort from outside ends both with its reason', async () => {
  const outside = new AbortController()
  const work = bothOrNone(outside.signal, untilStopped, untilStopped)
  outside.abort(new Error('gone'))
  assert.is(await work.catch(({ message }) => message), 'gone')
})

test.run()
