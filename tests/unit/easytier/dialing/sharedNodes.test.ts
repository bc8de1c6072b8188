import { SharedNodes, type SharedNodesOptions } from '#internal/easytier/dialing/sharedNodes'
import type { ConnectionProblem } from '#internal/easytier/peer/peerConnection'
import { createFakeClock } from '#support/network/fakeClock'
import { createReplayNet } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { peerConnection } from '../peer/peerConnection'

const test = suite('easytier: configured shared nodes')

const URL = 'tcp://192.0.2.1:11010'

const connection = peerConnection(2, {
  origin: { transport: 'tcp', isDialler: true, url: URL },
  isSharedNode: true,
  roundTrip: 1.26,
})

for (const [what, problem, wasOpen, isRefused] of [
  ['closes right after the handshake', 'closed', true, true],
  ['is a member, and says in the handshake that the secret is another', 'wrong-secret', false, true],
  ['closes before the handshake', 'closed', false, false],
  ['is silent', 'silent', true, false],
] as const satisfies readonly (readonly [string, ConnectionProblem, boolean, boolean])[]) {
  test(`a node that ${what} ${isRefused ? 'has' : 'has not'} refused us`, async () => {
    const { nodes, stop } = open()
    assert.is(nodes.refusals(), 0)
    if (wasOpen) nodes.connectionOpened(connection)
    nodes.connectionClosed({ connection, problem, wasOpen })
    assert.is(nodes.refusals(), isRefused ? 1 : 0)
    await stop()
  })
}

test('what a node says of itself is shown until it takes us', async () => {
  const { nodes, stop } = open()
  const shown = () => nodes.statuses().map(({ state, refusal, problem }) => [state, refusal, problem])
  nodes.connectionClosed({ connection, problem: 'address-limit', wasOpen: false })
  assert.equal(shown(), [
    ['failed', 'address-limit', 'it takes no more connections from this network address'],
  ])
  assert.is(nodes.refusals(), 0, 'the secret is not refused')
  nodes.connectionOpened(connection)
  assert.equal(shown(), [['connected', undefined, undefined]])
  await stop()
})

test('a refusal is forgotten once the next connection has lasted a second', async () => {
  const { clock, nodes, stop } = open()
  nodes.connectionOpened(connection)
  await clock.advance(999)
  nodes.connectionClosed({ connection, problem: 'closed', wasOpen: true })
  nodes.connectionOpened(connection)
  await clock.advance(999)
  assert.is(nodes.refusals(), 1)
  await clock.advance(1)
  assert.is(nodes.refusals(), 0)
  nodes.connectionClosed({ connection, problem: 'closed', wasOpen: true })
  assert.is(nodes.refusals(), 0, 'a connection that lasted a second was no refusal')
  await stop()
})

test('who has lost its only node dials more often for ten minutes, unless it was refused', async () => {
  const { clock, nodes, dials, stop } = open()
  const dialsIn = async (ms: number) => {
    const { length } = dials
    await clock.advance(ms)
    return dials.length - length
  }
  await dialsIn(60_000)
  assert.is(await dialsIn(60_000), 6, 'as long as there was none, and')
  nodes.connectionOpened(connection)
  await clock.advance(100)
  nodes.connectionClosed({ connection, problem: 'closed', wasOpen: true })
  assert.is(await dialsIn(60_000), 6, 'after a refusal')
  nodes.connectionOpened(connection)
  await clock.advance(20_000)
  nodes.connectionClosed({ connection, problem: 'silent', wasOpen: true })
  await clock.advance(10_000)
  assert.is(await dialsIn(60_000), 40)
  await clock.advance(540_000)
  assert.is(await dialsIn(60_000), 6, 'after ten minutes')
  await stop()
})

/** One node that no dial reaches; handshakes and their ends are the test's alone. */
function open() {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const dials: number[] = []
  const { transports } = createReplayNet({})
  const nodes = SharedNodes.open(
    {
      nodes: [{ url: URL, origin: 'typed' }],
      transports: {
        ...transports,
        async dialTcp() {
          dials.push(clock.now())
          throw new Error('refused')
        },
      },
      clock,
      log: silentLog(),
      random: () => 0.5,
      udp: undefined as unknown as SharedNodesOptions['udp'],
      onConnection: () => {},
    },
    stopping.signal,
  )
  const stop = async () => {
    stopping.abort()
    await nodes.closed
    assert.is(clock.timers, 0)
  }
  return { clock, nodes, dials, stop }
}

test.run()
