import { allOrNone, bothOrNone } from '#core/async/allOrNone'
import { createDeferred } from '#core/async/deferred'
import { raceSignal, untilAborted } from '#core/async/onAbort'
import { assert, suite } from '#support/runner/suite'

const test = suite('all or none')
const { signal: never } = new AbortController()

test('results keep the order of the steps, whichever is first', async () => {
  const slow = async () => {
    await Promise.resolve()
    return 'slow'
  }
  assert.equal(await allOrNone<[string, number, boolean]>(never, [slow, async () => 2, async () => true]), [
    'slow',
    2,
    true,
  ])
  assert.equal(await allOrNone(never, []), [])
})

test('the first failure ends all others before it is told', async () => {
  let ended = 0
  const wait = async (signal: AbortSignal) => {
    await untilAborted(signal)
    ended += 1
  }
  const fail = () => Promise.reject(new Error('no'))
  const outcome = await allOrNone(never, [wait, fail, wait]).catch((error: Error) => error.message)
  assert.equal([outcome, ended], ['no', 2])
})

test('an abort from outside ends all', async () => {
  const outside = new AbortController()
  let ended = 0
  const wait = async (signal: AbortSignal) => {
    await untilAborted(signal)
    ended += 1
  }
  const work = allOrNone(outside.signal, [wait, wait, wait]).catch((error: Error) => error.message)
  outside.abort(new Error('stop'))
  assert.equal([await work, ended], ['stop', 3])
})

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
