import { repeat } from '#internal/base/async/repeat'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('repeat')

test('acts at once, and then after each interval', async () => {
  const clock = createFakeClock()
  const at: number[] = []
  const end = repeat(clock, 100, new AbortController().signal, () => at.push(clock.now()))
  assert.equal(at, [0])
  await clock.advance(250)
  assert.equal(at, [0, 100, 200])
  end()
  assert.is(clock.timers, 0)
  await clock.advance(1000)
  assert.is(at.length, 3)
})

test('ends with the signal, and does nothing when that has aborted before', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  let count = 0
  repeat(clock, 100, controller.signal, () => {
    count += 1
  })
  controller.abort()
  assert.is(clock.timers, 0)
  repeat(clock, 100, controller.signal, () => {
    count += 1
  })
  await clock.advance(1000)
  assert.is(count, 1)
})

test('the action itself can end it, the first time as well', async () => {
  for (const last of [1, 3]) {
    const clock = createFakeClock()
    let count = 0
    repeat(clock, 100, new AbortController().signal, (end) => {
      count += 1
      if (count === last) end()
    })
    await clock.advance(1000)
    assert.is(count, last)
    assert.is(clock.timers, 0)
  }
})

test.run()
