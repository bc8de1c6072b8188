import { MAX_RECORDS } from '#internal/easytier/peer/routing/routeTable'
import { createPeerTraffic } from '#internal/easytier/peerTraffic'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('what is exchanged with each member')

test('bytes are counted in both directions, by member', async () => {
  const clock = createFakeClock()
  const traffic = createPeerTraffic(clock)
  traffic.noteSent(1, 100)
  traffic.noteSent(1, 20)
  assert.is(traffic.receivedAt(1), undefined, 'what is sent is no sign of life')
  await clock.advance(5)
  traffic.noteReceived(1, 7)
  traffic.noteReceived(2, 3)
  assert.equal({ ...traffic.totals(1) }.sent, 120)
  assert.equal([traffic.totals(1).received, traffic.totals(2).received], [7, 3])
  assert.equal([traffic.receivedAt(1), traffic.receivedAt(3)], [5, undefined])
  assert.equal(traffic.totals(3), { sent: 0, received: 0 })
})

test('a member that uses ever new ids fills no memory', () => {
  const traffic = createPeerTraffic(createFakeClock())
  for (let id = 0; id <= MAX_RECORDS; id += 1) traffic.noteReceived(id, 1)
  assert.equal([traffic.totals(0).received, traffic.totals(MAX_RECORDS).received], [0, 1])
})

test.run()
