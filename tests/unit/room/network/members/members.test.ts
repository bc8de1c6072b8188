import type { RemotePeer } from '@lantern-room/easytier'
import {
  findHost,
  hostName,
  isMember,
  isOurProgram,
  PROGRAM_VERSION,
  pathOf,
  roomPortOf,
} from '#internal/room/network/members/members'
import { assert, suite } from '#support/runner/suite'

const test = suite('room: members of a network')

const LINK = { origin: { transport: 'udp', isDialler: true }, roundTrip: 12.34 }
const RELAY = { isSharedNode: true, origin: { transport: 'tcp', isDialler: true }, roundTrip: 50 }

function peer({ connection, via, ...changes }: Record<string, unknown> = {}): RemotePeer {
  const features = { isSharedNode: false }
  const record = { peerId: 7, hostname: hostName(13_448), address: '10.144.144.1', features, ...changes }
  return { record, connection, via } as unknown as RemotePeer
}

test('a host is named after its port, from 1,025 to 65,535', () => {
  assert.is(hostName(13_448), 'scaffolding-mc-server-13448')
  for (const port of [1025, 13_448, 65_535]) assert.is(roomPortOf(hostName(port)), port)
  for (const port of [0, 999, 1024, 65_536, 100_000]) assert.is(roomPortOf(hostName(port)), undefined)
  for (const name of [
    'guest',
    'scaffolding-mc-server-',
    'a scaffolding-mc-server-13448',
    `${hostName(13_448)} `,
  ])
    assert.is(roomPortOf(name), undefined)
})

test('the mark of this program ends its version', () => {
  assert.ok(isOurProgram(PROGRAM_VERSION))
  assert.ok(isOurProgram('9.9.9-lantern'))
  for (const version of ['', '2.6.4', '2.6.4-lantern-fork']) assert.not(isOurProgram(version))
})

test('hosts are the reachable members with an address and a host’s name', () => {
  const [direct, relayed] = [peer({ connection: LINK, via: LINK }), peer({ via: RELAY })]
  const others = [
    peer(),
    peer({ via: RELAY, address: undefined }),
    peer({ via: RELAY, hostname: 'guest' }),
    peer({ via: RELAY, features: { isSharedNode: true } }),
  ]
  assert.equal(findHost([...others, direct, relayed]), [direct, relayed])
  assert.equal(others.map(isMember), [true, true, true, false])
})

test('a direct path has the connection’s round trip, a relayed one the measured latency', () => {
  assert.equal(pathOf(peer({ connection: LINK, via: LINK }), 99), {
    kind: 'direct',
    transport: 'udp',
    latencyMs: 12.3,
    relayedBy: undefined,
  })
  const relayed = { kind: 'relay', transport: 'tcp', relayedBy: 'node' }
  assert.equal(pathOf(peer({ via: RELAY }), 99.96), { ...relayed, latencyMs: 100 })
  assert.equal(pathOf(peer({ via: RELAY }), undefined), { ...relayed, latencyMs: undefined })
  assert.equal(pathOf(peer({ via: LINK }), undefined)?.relayedBy, 'friend')
  assert.is(pathOf(peer(), 99), undefined)
})

test.run()
