import { createLineLimit } from '#core/room/service/log/lineLimit'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('limit of log lines in the feed', { setUp: start })

function start() {
  const clock = createFakeClock()
  const missing: number[] = []
  const stopping = new AbortController()
  const mayTell = createLineLimit(clock, stopping.signal, (count) => missing.push(count))
  const told = (count: number) => Array.from({ length: count }, mayTell).filter(Boolean).length
  return { clock, missing, told, stop: () => stopping.abort() }
}

test('five lines are told at once, of more only their number', async ({ clock, missing, told }) => {
  assert.is(told(5), 5)
  assert.is(told(1000), 0)
  await clock.advance(1999)
  assert.equal([missing, told(1)], [[], 0])
  await clock.advance(1)
  assert.equal([missing, clock.timers], [[1001], 0])
})

test('a flood of a minute is two lines a second and their numbers', async ({ clock, missing, told }) => {
  let lines = 0
  for (let at = 0; at < 600; at += 1) {
    lines += told(10)
    await clock.advance(100)
  }
  assert.ok(lines <= 5 + 2 * 60, String(lines))
  assert.ok(missing.length <= 30, String(missing.length))
})

test('a line now and then is always told', async ({ clock, missing, told }) => {
  for (let at = 0; at < 100; at += 1) {
    assert.is(told(1), 1)
    await clock.advance(500)
  }
  assert.equal([missing, clock.timers], [[], 0])
})

test('nothing is left when the service stops', async ({ clock, missing, told, stop }) => {
  told(6)
  stop()
  told(10)
  assert.is(clock.timers, 0)
  await clock.advance(2000)
  assert.equal(missing, [])
})

test.run()
