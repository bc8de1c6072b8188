import * as assert from 'uvu/assert'
import { allOrNone } from '#core/async/allOrNone'
import { untilAborted } from '#core/async/raceSignal'
import { suite } from '#support/runner/suite'

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

test.run()
