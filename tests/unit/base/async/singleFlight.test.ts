import { createDeferred } from '#internal/base/async/deferred'
import { createSingleFlight } from '#internal/base/async/singleFlight'
import { assert, suite } from '#support/runner/suite'

const test = suite('single flight')
const { signal: never } = new AbortController()

/** Work that ends when it is told to, or by its signal. */
function controlled() {
  const { promise, resolve, reject } = createDeferred<string>()
  const signals: AbortSignal[] = []
  return {
    resolve,
    reject,
    signals,
    work: (signal: AbortSignal) => {
      signals.push(signal)
      return promise
    },
  }
}

test('callers of one key share one run, those of another do not', async () => {
  const flights = createSingleFlight<string>()
  const { work, resolve, signals } = controlled()
  const calls = [flights.run('a', never, work), flights.run('a', never, work), flights.run('b', never, work)]
  assert.is(signals.length, 2)
  resolve('done')
  assert.equal(await Promise.all(calls), ['done', 'done', 'done'])
})

test('a result is not kept, neither is a failure', async () => {
  const flights = createSingleFlight<number>()
  let runs = 0
  const work = async () => {
    runs += 1
    if (runs === 2) throw new Error('second')
    return runs
  }
  assert.is(await flights.run('a', never, work), 1)
  assert.is(await flights.run('a', never, work).catch((error: Error) => error.message), 'second')
  assert.is(await flights.run('a', never, work), 3)
})

test('a failure reaches every caller', async () => {
  const flights = createSingleFlight<string>()
  const { work, reject } = controlled()
  const calls = [flights.run('a', never, work), flights.run('a', never, work)]
  reject(new Error('no'))
  const outcomes = await Promise.allSettled(calls)
  assert.equal(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
})

test('a caller that leaves does not end the work of the others', async () => {
  const flights = createSingleFlight<string>()
  const { work, resolve, signals } = controlled()
  const leaving = new AbortController()
  const left = flights.run('a', leaving.signal, work).catch((error: Error) => error.message)
  const staying = flights.run('a', never, work)
  leaving.abort(new Error('left'))
  assert.is(await left, 'left')
  assert.is(signals[0]?.aborted, false)
  resolve('done')
  assert.is(await staying, 'done')
})

test('the last caller to leave ends the work, and waits until it has stopped', async () => {
  const flights = createSingleFlight<string>()
  const first = controlled()
  const [one, other] = [new AbortController(), new AbortController()]
  const calls = [one, other].map(({ signal }) =>
    flights.run('a', signal, first.work).catch((error: Error) => error.message),
  )
  one.abort(new Error('one left'))
  other.abort(new Error('other left'))
  assert.is(await calls[0], 'one left')
  assert.is(first.signals[0]?.aborted, true)
  let hasAnswered = false
  void calls[1]?.then(() => {
    hasAnswered = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.is(hasAnswered, false)
  // A caller that comes now begins anew.
  const again = controlled()
  const fresh = flights.run('a', never, again.work)
  first.reject(new Error('stopped'))
  assert.is(await calls[1], 'stopped')
  again.resolve('fresh')
  assert.is(await fresh, 'fresh')
})

test('a caller whose signal has aborted begins nothing', async () => {
  const flights = createSingleFlight<string>()
  const { work, signals } = controlled()
  const gone = AbortSignal.abort(new Error('gone'))
  assert.is(await flights.run('a', gone, work).catch((error: Error) => error.message), 'gone')
  assert.is(signals.length, 0)
})

test.run()
