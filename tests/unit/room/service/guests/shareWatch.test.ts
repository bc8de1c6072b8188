import { createShareWatch, type GreedyMember } from '#internal/room/service/guests/shareWatch'
import { createFakeClock } from '../../../../support/network/fakeClock'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('watching shares', { setUp: start })

function start() {
  const clock = createFakeClock()
  const told: (readonly GreedyMember[])[] = []
  const onOverShare = createShareWatch(clock, (members) => void told.push(members))
  return { clock, told, onOverShare }
}

test('once or twice is not told; three times in ten seconds is, with all that it was about', async () => {
  const { clock, told, onOverShare } = start()
  onOverShare('one', 'connections')
  onOverShare('one', 'connections')
  await clock.advance(10_001)
  onOverShare('one', 'players')
  onOverShare('one', 'streams')
  assert.equal(told, [])
  onOverShare('one', 'streams')
  assert.equal(told, [[{ memberId: 'one', shares: ['players', 'streams'], count: 3 }]])
})

test('a member is told of once a minute, with what has come since', async ({ clock, told, onOverShare }) => {
  for (let count = 0; count < 1000; count += 1) onOverShare('one', 'streams')
  await clock.advance(59_999)
  onOverShare('one', 'streams')
  assert.is(told.length, 1)
  await clock.advance(1)
  onOverShare('one', 'requests')
  assert.equal(told[1], [{ memberId: 'one', shares: ['streams', 'requests'], count: 999 }])
})

test('sixty members at once are two messages', async ({ clock, told, onOverShare }) => {
  for (let turn = 0; turn < 100; turn += 1) {
    for (let member = 0; member < 60; member += 1) onOverShare(`member ${member}`, 'player-pings')
    await clock.advance(10)
  }
  await clock.advance(1000)
  assert.equal(
    told.map((members) => members.length),
    [1, 59],
  )
})

test('made-up members are forgotten, the oldest first', ({ told, onOverShare }) => {
  onOverShare('first', 'streams')
  onOverShare('first', 'streams')
  for (let member = 0; member < 128; member += 1) onOverShare(`member ${member}`, 'streams')
  onOverShare('first', 'streams')
  assert.equal(told, [])
})

test.run()
