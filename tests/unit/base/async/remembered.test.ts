import { createRemembered } from '#internal/base/async/remembered'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('remembered measurement')

test('concurrent calls share one measurement, which is remembered for its time', async () => {
  const clock = createFakeClock()
  let count = 0
  const remembered = createRemembered(clock, 100, async () => {
    count += 1
    return count
  })
  assert.equal(await Promise.all([remembered.get(), remembered.get()]), [1, 1])
  await clock.advance(99)
  assert.is(await remembered.get(), 1)
  await clock.advance(1)
  assert.is(await remembered.get(), 2)
})

test('a failure is shared and not remembered', async () => {
  const clock = createFakeClock()
  let count = 0
  const remembered = createRemembered(clock, 100, async () => {
    count += 1
    if (count === 1) throw new Error('no')
    return count
  })
  const outcomes = await Promise.allSettled([remembered.get(), remembered.get()])
  assert.ok(outcomes.every(({ status }) => status === 'rejected'))
  assert.is(count, 1)
  assert.is(await remembered.get(), 2)
})

test.run()
