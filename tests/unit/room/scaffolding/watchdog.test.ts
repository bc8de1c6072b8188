import { startWatchdog } from '#core/room/scaffolding/watchdog'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('watchdog')

function started(ms: number) {
  const clock = createFakeClock()
  let calls = 0
  const watchdog = startWatchdog(clock, ms, () => {
    calls++
  })
  return { clock, watchdog, calls: () => calls }
}

test('it acts once, when the time is over', async () => {
  const { clock, calls } = started(1000)
  await clock.advance(999)
  assert.is(calls(), 0)
  await clock.advance(1)
  assert.is(calls(), 1)
  await clock.advance(10_000)
  assert.equal([calls(), clock.timers], [1, 0])
})

test('a reset restarts the time, without another timer', async () => {
  const { clock, watchdog, calls } = started(1000)
  for (let at = 0; at < 50; at++) {
    await clock.advance(500)
    watchdog.reset()
    assert.is(clock.timers, 1)
  }
  await clock.advance(999)
  assert.is(calls(), 0)
  await clock.advance(1)
  assert.is(calls(), 1)
})

test('once stopped it leaves no timer, also after a reset', async () => {
  const { clock, watchdog, calls } = started(1000)
  await clock.advance(500)
  watchdog.reset()
  await clock.advance(900)
  watchdog.stop()
  assert.is(clock.timers, 0)
  await clock.advance(10_000)
  assert.is(calls(), 0)
})

test.run()
