import { createDeadlineDriver } from '#core/async/deadlineDriver'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('deadline driver')
const NEVER = Number.POSITIVE_INFINITY

function drive(deadlines: number[]) {
  const clock = createFakeClock()
  const ticks: number[] = []
  const driver = createDeadlineDriver(clock, () => ({
    nextDeadline: () => deadlines[0] ?? NEVER,
    tick(now) {
      ticks.push(now)
      deadlines.shift()
    },
  }))
  return { clock, ticks, driver, deadlines, start: clock.now() }
}

test('ticks at each deadline, and then has no timer', async () => {
  const { clock, ticks, driver, deadlines, start } = drive([])
  deadlines.push(start + 10, start + 30)
  driver.update()
  await clock.advance(100)
  assert.equal(ticks, [start + 10, start + 30])
  assert.is(clock.timers, 0)
})

test('an earlier deadline replaces the timer, a later one does not', async () => {
  const { clock, ticks, driver, deadlines, start } = drive([])
  deadlines.push(start + 50)
  driver.update()
  deadlines.unshift(start + 5)
  driver.update()
  driver.update()
  assert.is(clock.timers, 1)
  await clock.advance(5)
  assert.equal(ticks, [start + 5])
  await clock.advance(45)
  assert.equal(ticks, [start + 5, start + 50])
})

test('does nothing after it was stopped', async () => {
  const { clock, ticks, driver, deadlines, start } = drive([])
  deadlines.push(start + 10)
  driver.update()
  driver.stop()
  driver.update()
  await clock.advance(100)
  assert.equal(ticks, [])
  assert.is(clock.timers, 0)
})

test.run()
