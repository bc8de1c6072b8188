import { createThrottle } from '#internal/base/async/throttle'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('a throttle')

function createCounted() {
  const clock = createFakeClock()
  const times: number[] = []
  const throttle = createThrottle(clock, 200, () => times.push(clock.now()))
  return { clock, times, throttle }
}

test('acts at once after a quiet time', async () => {
  const { clock, times, throttle } = createCounted()
  throttle.request()
  await clock.advance(200)
  throttle.request()
  assert.equal(times, [0, 200])
  assert.is(clock.timers, 0)
})

test('makes one of many requests, and fulfils the last one', async () => {
  const { clock, times, throttle } = createCounted()
  for (let ms = 0; ms < 1000; ms += 10) {
    throttle.request()
    await clock.advance(10)
  }
  await clock.advance(1000)
  assert.equal(times, [0, 200, 400, 600, 800, 1000])
  assert.is(clock.timers, 0)
})

test('acting out of turn fulfils a pending request, and begins a new interval', async () => {
  const { clock, times, throttle } = createCounted()
  throttle.request()
  await clock.advance(50)
  throttle.request()
  throttle.act()
  assert.is(clock.timers, 0)
  throttle.request()
  await clock.advance(1000)
  assert.equal(times, [0, 50, 250])
})

test('a pending request can be forgotten', async () => {
  const { clock, times, throttle } = createCounted()
  throttle.request()
  throttle.request()
  throttle.cancel()
  assert.is(clock.timers, 0)
  await clock.advance(1000)
  assert.equal(times, [0])
})

test('waits longer where it is told to, and asks again then', async () => {
  const clock = createFakeClock()
  const times: number[] = []
  let isFreeAt = 500
  const throttle = createThrottle(
    clock,
    200,
    () => times.push(clock.now()),
    () => isFreeAt - clock.now(),
  )
  throttle.request()
  await clock.advance(499)
  isFreeAt = 700
  await clock.advance(200)
  assert.equal(times, [])
  throttle.request()
  await clock.advance(1)
  assert.equal([times, clock.timers], [[700], 0])
  isFreeAt = 10_000
  throttle.act()
  throttle.request()
  throttle.cancel()
  assert.equal([times, clock.timers], [[700, 700], 0])
})

test.run()
