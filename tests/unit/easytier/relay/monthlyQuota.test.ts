import { createMonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('relay: monthly quota')

const HOUR = 3_600_000
const LAST_HOUR = Date.UTC(2026, 10, 30, 23)

function loud() {
  const told: string[] = []
  return { told, log: { ...silentLog(), warn: (message: string) => void told.push(message) } }
}

test('it is spent at its limit, which is told once, and back in the next month', async () => {
  const clock = createFakeClock(LAST_HOUR)
  const { told, log } = loud()
  const quota = createMonthlyQuota(1000, { clock, log })
  quota.spend(999)
  assert.equal([quota.isSpent(), told.length], [false, 0])
  quota.spend(2)
  quota.spend(2)
  assert.equal([quota.isSpent(), told.length], [true, 1])
  assert.equal([quota.count(), quota.resetsAt()], [{ month: '2026-11', bytes: 1003 }, Date.UTC(2026, 11, 1)])
  await clock.advance(HOUR)
  assert.is(quota.isSpent(), false)
  assert.equal([quota.count(), quota.resetsAt()], [{ month: '2026-12', bytes: 0 }, Date.UTC(2027, 0, 1)])
})

test('the count of this month goes on, that of an earlier one does not', () => {
  const clock = createFakeClock(LAST_HOUR)
  const { told, log } = loud()
  const count = (month: string) =>
    createMonthlyQuota(1000, { clock, log, kept: { month, bytes: 1000 } }).count()
  assert.equal(count('2026-10'), { month: '2026-11', bytes: 0 })
  assert.equal(count('2025-12'), { month: '2026-11', bytes: 0 })
  assert.is(told.length, 0)
  assert.equal(count('2026-11'), { month: '2026-11', bytes: 1000 })
  assert.is(told.length, 1)
})

test('a machine that begins with a clock of years ago forgets nothing', () => {
  const kept = { month: '2026-11', bytes: 1000 }
  const quota = createMonthlyQuota(1000, { clock: createFakeClock(0), log: silentLog(), kept })
  assert.equal([quota.isSpent(), quota.count()], [true, kept])
  assert.is(quota.resetsAt(), Date.UTC(2026, 11, 1))
})
