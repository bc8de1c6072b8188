import { createTokenBuckets } from '#internal/base/limits/tokenBuckets'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('token buckets')

test('buckets fill again; full ones are forgotten, and no key is added to 512 that are in use', async () => {
  const clock = createFakeClock()
  const budget = createTokenBuckets(clock, { perSecond: 10, burst: 20 })
  assert.is(budget.take('one', 20), true)
  assert.is(budget.take('one'), false)
  for (let key = 1; key < 512; key += 1) assert.is(budget.take(`key ${key}`), true)
  assert.is(budget.take('one more'), false)
  await clock.advance(100)
  assert.is(budget.take('one more'), true, 'the others are full again and forgotten')
  assert.is(budget.take('one', 2), false)
  await clock.advance(400)
  assert.is(budget.take('one', 5), true)
})

test('what is refused takes no token', async () => {
  const clock = createFakeClock()
  const budget = createTokenBuckets(clock, { perSecond: 1, burst: 3 })
  assert.is(budget.take('key', 4), false)
  assert.is(budget.take('key', 2), true)
  assert.is(budget.take('key', 2), false)
  assert.is(budget.take('key', 1), true)
  assert.is(budget.take('other', 3), true, 'each key has a bucket of its own')
})

test('a bucket never holds more than its burst', async () => {
  const clock = createFakeClock()
  const budget = createTokenBuckets(clock, { perSecond: 10, burst: 2 })
  assert.is(budget.take('key', 2), true)
  await clock.advance(60_000)
  assert.is(budget.take('key', 3), false)
  assert.is(budget.take('key', 2), true)
})

test('a borrowed token is told with the time until it is there, and later ones queue behind it', async () => {
  const clock = createFakeClock()
  const buckets = createTokenBuckets(clock, { perSecond: 2, burst: 3 })
  assert.equal(
    Array.from({ length: 6 }, () => buckets.borrow('key')),
    [0, 0, 0, 500, 1000, 1500],
  )
  assert.is(buckets.borrow('other'), 0)
  await clock.advance(1000)
  assert.is(buckets.borrow('key'), 1000)
  assert.is(buckets.take('key'), false)
  await clock.advance(2000)
  assert.is(buckets.borrow('key'), 0)
})

test.run()
