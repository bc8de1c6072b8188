import { createStreamShares } from '#internal/room/service/hosting/hostTraffic'
import { settle } from '../../../../support/network/fakeClock'
import { streamPair } from '../../../../support/network/streamPair'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('shares of streams to the world', { setUp: start })

function start() {
  const events: string[] = []
  const admit = createStreamShares(
    (memberId, share, denial = 'refused') => void events.push(`${memberId} ${share} ${denial}`),
  )
  const open = (memberId: string) => {
    const [stream] = streamPair()
    return { stream, isIn: admit(stream, memberId) }
  }
  return { events, open }
}

test('a member has 64 streams, and another one when one of them has closed', async ({ events, open }) => {
  const streams = Array.from({ length: 64 }, () => open('one'))
  assert.ok(streams.every(({ isIn }) => isIn))
  assert.equal([open('one').isIn, open('other').isIn, events], [false, true, ['one streams refused']])
  streams[0]?.stream.destroy()
  await settle()
  assert.is(open('one').isIn, true)
})

test('of 512 a newcomer gets the newest stream of a member with most', async ({ events, open }) => {
  const streams = Array.from({ length: 512 }, (_, at) => open(`member ${Math.floor(at / 64)}`))
  assert.is(open('late').isIn, true)
  assert.equal(events, ['member 0 streams withdrawn'])
  assert.is(await streams[63]?.stream.closed.then(() => 'closed'), 'closed')
})

test.run()
