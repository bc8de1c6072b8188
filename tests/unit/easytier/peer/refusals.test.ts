import * as assert from 'uvu/assert'
import { keepSharedNodes, type SharedNodesOptions } from '#core/easytier/dialing/sharedNodes'
import type { ConnectionProblem, PeerConnection } from '#core/easytier/peer/peerConnection'
import type { Transports } from '#core/easytier/transport/transports'
import { createFakeClock } from '#support/network/fakeClock'
import { silentLog } from '#support/room/openRoom'
import { suite } from '#support/runner/suite'

const test = suite('overlay: shared nodes that refuse a room')

const URL = 'tcp://192.0.2.1:11010'

const connection: PeerConnection = {
  id: 1,
  origin: { transport: 'tcp', isDialler: true, url: URL },
  peerId: 2,
  isSharedNode: true,
  roundTrip: 1,
  answeredAt: undefined,
}

for (const [what, problem, wasOpen, isRefused] of [
  ['closes right after the handshake', 'closed', true, true],
  ['is a member, and says in the handshake that the secret is another', 'wrong-secret', false, true],
  ['closes before the handshake', 'closed', false, false],
  ['is silent', 'silent', true, false],
] as const satisfies readonly (readonly [string, ConnectionProblem, boolean, boolean])[]) {
  test(`a node that ${what} ${isRefused ? 'has' : 'has not'} refused us`, async () => {
    const stopping = new AbortController()
    const nodes = open(stopping.signal)
    assert.is(nodes.refusals(), 0)
    if (wasOpen) nodes.connectionOpened(connection)
    nodes.connectionClosed({ connection, problem, wasOpen })
    assert.is(nodes.refusals(), isRefused ? 1 : 0)
    stopping.abort()
    await nodes.closed
  })
}

test.run()

/** A node whose links are opened and closed by the test alone. */
function open(signal: AbortSignal) {
  const never = (_: unknown, limit: AbortSignal) =>
    new Promise<never>((_resolve, reject) => limit.addEventListener('abort', () => reject(limit.reason)))
  const transports = { resolve: async () => ['192.0.2.1'], dialTcp: never } as unknown as Transports
  return keepSharedNodes({
    urls: [URL],
    transports,
    clock: createFakeClock(),
    log: silentLog(),
    random: () => 0.5,
    signal,
    udp: undefined as unknown as SharedNodesOptions['udp'],
    onConnection: () => {},
    onStatus: () => {},
  })
}
