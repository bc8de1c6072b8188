import { natTypes } from '#core/easytier/nat/natType'
import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import type { CallDone } from '#core/easytier/peer/rpcCalls'
import { MEASURE_MS, measureMembers } from '#core/room/network/members/memberLinks'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('how members are reached', { setUp: () => setUp(), tearDown: ({ stop }) => stop() })

/** Members that answer after 40 ms; what is exchanged with them grows by 300 bytes between two measurements. */
function setUp(change: { readonly peers?: readonly RemotePeer[]; readonly isDirect?: boolean } = {}) {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const world = { peers: change.peers ?? [relayed(7)], answers: true, bytes: 0 }
  let measurements = 0
  const links = measureMembers({
    network: {
      peers: () => world.peers,
      natType: () => natTypes.symmetric,
      traffic: () => {
        world.bytes += 300
        return { sent: world.bytes, received: 0 }
      },
      call(_peerId: number, _method: string, _request: Uint8Array, limitMs: number, done: CallDone) {
        if (world.answers) clock.after(40, () => done({ kind: 'response', response: new Uint8Array(0) }))
        else clock.after(limitMs, () => done({ kind: 'silence' }))
      },
    },
    isMeant: ({ record }) => !record.features.isSharedNode,
    isOnOwnSubnet: (address) => address.startsWith('192.168.1.'),
    isDirect: change.isDirect ?? true,
    clock,
    signal: stopping.signal,
  })
  links.onMeasured(() => {
    measurements += 1
  })
  const stop = async () => {
    stopping.abort(new Error('left'))
    world.peers = []
    await clock.advance(MEASURE_MS)
    assert.is(clock.timers, 0)
  }
  return { clock, links, world, stop, measurements: () => measurements }
}

test('a relayed member has latency, loss, rates and the reason', async () => {
  const { clock, links, world, stop, measurements } = setUp()
  assert.equal(links.list()[0]?.latencyMs, undefined)
  await clock.advance(2 * MEASURE_MS + 100)
  assert.equal(links.list(), [
    {
      memberId: '7',
      path: 'relay',
      transport: 'tcp',
      latencyMs: 40,
      loss: 0,
      sentPerSecond: 100,
      receivedPerSecond: 0,
      relayedBy: 'node',
      relayReason: 'searching',
    },
  ])
  assert.is(measurements(), 2)
  world.answers = false
  await clock.advance(66_000)
  const [link] = links.list()
  assert.is(link?.loss, 1)
  assert.is(link?.relayReason, 'strict-routers')
  await stop()
})

test('a direct member has no reason; one that is near is on the LAN', async () => {
  const far = direct(7, '203.0.113.9')
  const { links, world, stop } = setUp({ peers: [far, direct(8, '192.168.1.7'), direct(9, '127.0.0.1')] })
  assert.equal(
    links.list().map(({ path, relayReason, latencyMs }) => [path, relayReason, latencyMs]),
    [
      ['direct', undefined, 12],
      ['lan', undefined, 12],
      ['lan', undefined, 12],
    ],
  )
  world.peers = [relayed(7)]
  assert.is(links.list()[0]?.relayReason, 'searching')
  await stop()
})

function peer(peerId: number, isSharedNode: boolean): RemotePeer {
  const record = { peerId, udpNatType: natTypes.symmetric, features: { isSharedNode, refusesDirect: false } }
  return { record, connection: undefined, via: undefined } as unknown as RemotePeer
}

function relayed(peerId: number): RemotePeer {
  return {
    ...peer(peerId, false),
    via: { isSharedNode: true, origin: { transport: 'tcp' } },
  } as unknown as RemotePeer
}

function direct(peerId: number, remoteAddress: string): RemotePeer {
  const connection = { origin: { transport: 'udp', remoteAddress }, roundTrip: 12 }
  return { ...peer(peerId, false), connection, via: connection } as unknown as RemotePeer
}

test.run()
