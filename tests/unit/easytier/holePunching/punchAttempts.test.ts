import { awaitConnections } from '#internal/easytier/holePunching/punchAttempts'
import type { RemotePeer } from '#internal/easytier/peer/peerOptions'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: signals that abort once a member is connected', { setUp })

/** Members by peer id, with whether they are connected. */
function setUp() {
  const members = new Map<number, boolean>()
  const network = new AbortController()
  const peer = (peerId: number): RemotePeer | undefined =>
    members.has(peerId) ? ({ connection: members.get(peerId) ? {} : undefined } as RemotePeer) : undefined
  const awaiting = awaitConnections({ peer }, network.signal)
  return { members, network, awaiting }
}

test('a member that connects or leaves aborts its own signal only', ({ members, awaiting }) => {
  for (const peerId of [1, 2, 3]) members.set(peerId, false)
  const [first, second, third] = [1, 2, 3].map((peerId) => awaiting.signalFor(peerId))
  awaiting.update()
  assert.equal([first?.aborted, second?.aborted, third?.aborted], [false, false, false])
  members.set(1, true)
  members.delete(2)
  awaiting.update()
  assert.match(String(first?.reason), 'the member is connected now')
  assert.match(String(second?.reason), 'the member has left')
  assert.is(third?.aborted, false)
})

test('all work for a member shares one signal, until that has aborted', ({ members, awaiting }) => {
  members.set(1, false)
  const signal = awaiting.signalFor(1)
  assert.is(awaiting.signalFor(1), signal)
  members.set(1, true)
  awaiting.update()
  members.set(1, false)
  const next = awaiting.signalFor(1)
  assert.is.not(next, signal)
  assert.is(next.aborted, false)
})

test('for a connected member the signal is the network’s, which aborts all', () => {
  const { members, network, awaiting } = setUp()
  members.set(1, true)
  members.set(2, false)
  assert.is(awaiting.signalFor(1), network.signal)
  const signal = awaiting.signalFor(2)
  network.abort(new Error('stopped'))
  assert.match(String(signal.reason), 'stopped')
})

test.run()
