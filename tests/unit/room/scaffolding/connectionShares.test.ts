import { createConnectionShares } from '#core/room/scaffolding/connectionShares'
import { createFakeClock } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'

const test = suite('shares of the room protocol’s connections')

function start() {
  const clock = createFakeClock()
  const events: string[] = []
  const shares = createConnectionShares(
    clock,
    (memberId, share) => void events.push(`${memberId} ${share}`),
    () => void events.push('full'),
  )
  const open = (memberId: string, name: string) => {
    const [, stream] = streamPair()
    void stream.closed.then(() => events.push(`${name} closed`))
    return shares.open(stream, memberId)
  }
  return { clock, events, shares, open }
}

test('a member’s fifth connection closes the one that was not used for longest', async () => {
  const { clock, events, shares, open } = start()
  const places = ['1', '2', '3', '4'].map((name) => open('one', name))
  await clock.advance(10)
  for (const at of [0, 1, 3]) places[at]?.use()
  assert.ok(open('one', '5'))
  await clock.advance(0)
  assert.equal([shares.size, events], [4, ['one connections', '3 closed']])
})

test('where nobody has more than one, the connection after the last place is refused', () => {
  const { events, shares, open } = start()
  const places = Array.from({ length: 64 }, (_, at) => open(`member ${at}`, ''))
  assert.is(open('late', 'late'), undefined)
  assert.equal([shares.size, events], [64, ['full', 'late connections']])
  places[7]?.leave()
  assert.ok(open('late', 'late'))
})

test.run()
