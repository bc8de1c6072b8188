import { createByteRate, takeFromAll } from '#core/easytier/relay/byteRate'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('relay: byte rate')

test('a burst of one second passes at once, one byte more does not', () => {
  const rate = createByteRate(1000, createFakeClock())
  assert.equal([rate.take(999), rate.take(2), rate.take(1), rate.take(1)], [true, false, true, false])
})

test('refused bytes are not counted, and the allowance grows with time', async () => {
  const clock = createFakeClock()
  const rate = createByteRate(1000, clock)
  rate.take(1000)
  assert.is(rate.take(500), false)
  await clock.advance(499)
  assert.is(rate.take(500), false)
  await clock.advance(1)
  assert.equal([rate.take(500), rate.take(1)], [true, false])
})

test('the allowance never exceeds one second', async () => {
  const clock = createFakeClock()
  const rate = createByteRate(1000, clock)
  await clock.advance(3_600_000)
  assert.equal([rate.take(1001), rate.take(1000), rate.take(1)], [false, true, false])
})

test('of several rates each is charged, or none', () => {
  const clock = createFakeClock()
  const [wide, narrow] = [createByteRate(1000, clock), createByteRate(100, clock)]
  assert.equal([takeFromAll([wide, narrow], 101), wide.has(1000)], [false, true])
  assert.is(takeFromAll([wide, narrow], 100), true)
  assert.equal([wide.has(901), wide.has(900), narrow.has(1)], [false, true, false])
})

test.run()
