import { shuffledPorts, spreadEvenly } from '#internal/easytier/holePunching/strategies/portSprayer'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: spraying ports')

test('each port from 1024 is tried once, in a random order', () => {
  const ports = shuffledPorts(createPrng(1).bytes)
  assert.is(new Set(ports).size, 64_512)
  assert.equal([Math.min(...ports), Math.max(...ports)], [1024, 65_535])
  assert.not.equal(ports.slice(0, 9), shuffledPorts(createPrng(2).bytes).slice(0, 9))
})

test('calls are spread evenly; it ends after the last, or at once by the signal', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const at: number[] = []
  let isDone = false
  void spreadEvenly(clock, { count: 100, spanMs: 1000 }, controller.signal, () => at.push(clock.now())).then(
    () => {
      isDone = true
    },
  )
  await clock.advance(500)
  assert.ok(at.length >= 49 && at.length <= 52, `${at.length}`)
  await clock.advance(500)
  assert.equal([isDone, at.length], [true, 100])
  const second = spreadEvenly(clock, { count: 100, spanMs: 1000 }, controller.signal, () =>
    at.push(clock.now()),
  )
  controller.abort(new Error('stopped'))
  assert.is(String(await second.catch((error: unknown) => error)), 'Error: stopped')
  assert.is(clock.timers, 0)
})

test('nothing is called when the signal has aborted or there is nothing to call', async () => {
  const clock = createFakeClock()
  const calls: number[] = []
  const act = (at: number) => void calls.push(at)
  const stopped = spreadEvenly(clock, { count: 5, spanMs: 100 }, AbortSignal.abort(new Error('stopped')), act)
  assert.is(String(await stopped.catch((error: unknown) => error)), 'Error: stopped')
  await spreadEvenly(clock, { count: 0, spanMs: 100 }, new AbortController().signal, act)
  assert.equal([calls, clock.timers], [[], 0])
})

test.run()
