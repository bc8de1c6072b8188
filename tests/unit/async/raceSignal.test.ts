import * as assert from 'uvu/assert'
import { createDeferred } from '#core/async/deferred'
import { raceSignal, untilAborted } from '#core/async/raceSignal'
import { suite } from '#support/runner/suite'

const test = suite('raceSignal')
const problem = new Error('stopped')

test('gives what the work gives', async () => {
  assert.is(await raceSignal(Promise.resolve(3), new AbortController().signal), 3)
})

test('rejects with the error of the work', async () => {
  const failed = new Error('failed')
  await raceSignal(Promise.reject(failed), new AbortController().signal).then(
    () => assert.unreachable(),
    (error) => assert.is(error, failed),
  )
})

test('rejects with the reason of the signal, and handles the later rejection of the work', async () => {
  const work = createDeferred<number>()
  const controller = new AbortController()
  const race = raceSignal(work.promise, controller.signal)
  controller.abort(problem)
  await race.then(
    () => assert.unreachable(),
    (error) => assert.is(error, problem),
  )
  work.reject(new Error('nobody listens'))
})

test('rejects at once for a signal that has aborted, also where the work is done', async () => {
  await raceSignal(Promise.resolve(1), AbortSignal.abort(problem)).then(
    () => assert.unreachable(),
    (error) => assert.is(error, problem),
  )
})

test('untilAborted resolves when the signal aborts, and at once when it has', async () => {
  const controller = new AbortController()
  let isOver = false
  const over = untilAborted(controller.signal).then(() => {
    isOver = true
  })
  await Promise.resolve()
  assert.not.ok(isOver)
  controller.abort()
  await over
  await untilAborted(controller.signal)
  assert.ok(isOver)
})

test('the end of a signal has no value', async () => {
  const controller = new AbortController()
  const ended = untilAborted(controller.signal)
  controller.abort('reason')
  assert.is(await ended, undefined)
})

test.run()
