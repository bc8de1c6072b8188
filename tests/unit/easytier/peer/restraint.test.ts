import {
  CALL_RATE,
  createRestraint,
  FIRST_RESTRAINT_MS,
  MAX_REFUSALS,
} from '#internal/easytier/peer/restraint'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: restraint of greedy members', { setUp: start })

function start() {
  const clock = createFakeClock()
  const restraint = createRestraint(clock)
  const refuse = (peerId: number, count: number) => {
    for (let at = 0; at < count; at += 1) restraint.note(peerId)
  }
  /** How many of a hundred packets are read. */
  const read = (peerId: number) =>
    Array.from({ length: 100 }, () => restraint.mayRead(peerId)).filter(Boolean).length
  return { clock, restraint, refuse, read }
}

test('a member that is refused often is read no more for a while, but for a few packets, and no other one', async () => {
  const { clock, refuse, read } = start()
  refuse(7, MAX_REFUSALS - 1)
  assert.is(read(7), 100)
  refuse(7, 1)
  assert.equal([read(7), read(8)], [20, 100])
  await clock.advance(FIRST_RESTRAINT_MS - 1)
  assert.is(read(7), 20)
  await clock.advance(1)
  assert.is(read(7), 100)
})

test('each time is twice as long as the one before', async ({ clock, refuse, read }) => {
  for (const times of [1, 2, 4, 8, 16, 16]) {
    refuse(7, MAX_REFUSALS)
    await clock.advance(times * FIRST_RESTRAINT_MS - 1)
    assert.is(read(7), 20)
    await clock.advance(1)
    assert.is(read(7), 100)
  }
})

test('refusals that lie far apart are forgotten, and so is a restraint', async ({ clock, refuse, read }) => {
  for (let round = 0; round < 5; round += 1) {
    refuse(7, MAX_REFUSALS - 1)
    await clock.advance(10_001)
  }
  assert.is(read(7), 100)
  refuse(7, MAX_REFUSALS)
  await clock.advance(FIRST_RESTRAINT_MS + 120_000)
  refuse(7, MAX_REFUSALS)
  await clock.advance(FIRST_RESTRAINT_MS)
  assert.is(read(7), 100, 'the second time is as short as the first')
})

test('what is withdrawn or delayed does not count: other members could have this one held back', () => {
  const { restraint, refuse, read } = start()
  for (let count = 0; count < 2 * MAX_REFUSALS; count += 1) {
    restraint.note(7, 'withdrawn')
    restraint.note(7, 'delayed')
  }
  refuse(7, MAX_REFUSALS - 1)
  assert.is(read(7), 100)
})

test('what is refused because all is taken counts as well: who goes on asking is held back', () => {
  const { restraint, read } = start()
  for (let count = 0; count < MAX_REFUSALS; count += 1) restraint.note(7, 'full')
  assert.is(read(7), 20)
})

test('calls are read at a rate that no program needs, and of a restrained member a few', async () => {
  const { clock, restraint, refuse, read } = start()
  const call = (peerId: number) =>
    Array.from({ length: 1000 }, () => restraint.mayRead(peerId, true)).filter(Boolean).length
  assert.equal([call(7), call(8), read(7)], [CALL_RATE.burst, CALL_RATE.burst, 100])
  await clock.advance(1000)
  assert.is(call(7), CALL_RATE.perSecond)
  refuse(7, MAX_REFUSALS)
  assert.equal([call(7), call(8)], [20, CALL_RATE.perSecond])
})

test('members that come and go are forgotten', ({ refuse, read }) => {
  refuse(1, MAX_REFUSALS)
  for (let peerId = 2; peerId < 300; peerId += 1) refuse(peerId, 1)
  assert.is(read(1), 100)
})

test.run()
