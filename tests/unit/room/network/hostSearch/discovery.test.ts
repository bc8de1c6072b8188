import type { NetworkIdentity } from '@lantern-room/easytier'
import type { Connection, Transports } from '@lantern-room/easytier/transport'
import { RoomFailure } from '#internal/room/failure'
import { discoverRoom } from '#internal/room/network/hostSearch/discovery'
import { KnownHost } from '#internal/room/network/hostSearch/hostProof'
import { openMemberNetwork } from '#internal/room/network/members/memberNetwork'
import { hostName } from '#internal/room/network/members/members'
import { createFakeClock } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { createTestNet } from '#support/virtualNet/testNet'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('room: the search for the host of a code')

const IDENTITY: NetworkIdentity = { name: 'private', secret: 'derived' }

test('nothing that a private join sends depends on anything but the stretched key', async () => {
  const one = await sentByJoin('L/1111-1111-1111-1111', IDENTITY)
  assert.is(await sentByJoin('L/2222-2222-2222-2222', IDENTITY), one)
  assert.is.not(await sentByJoin('L/1111-1111-1111-1111', { name: 'private', secret: 'another' }), one)
  assert.match(one, /^lan [0-9a-f]{32}$/m)
  assert.ok(one.split('\n').length > 10)
})

test('who finds nobody is told that the friend may be at other nodes, unless an invitation has named them', async () => {
  const world = createTestNet()
  const { nodes } = await world.sharedNode('20.0.0.9')
  const other = await world.sharedNode('20.0.0.8')
  assert.is(await hintOfSearch(world, { nodes }), 'other-nodes')
  assert.is(await hintOfSearch(world, { nodes, invitedNodes: other.nodes }), undefined)
  assert.is(await hintOfSearch(world, { nodes: [] }), undefined)
  await world.close()
})

async function hintOfSearch(
  { clock, net, random }: ReturnType<typeof createTestNet>,
  nodes: { readonly nodes: readonly string[]; readonly invitedNodes?: readonly string[] },
) {
  const options = {
    ...nodes,
    transports: net.machine('20.0.0.1').transports,
    stunServers: [],
    isDirect: false,
    clock,
    randomBytes: random.fork('guest').bytes,
    log: silentLog(),
    version: '0',
    secureStreams: plainStreams,
  }
  const room = { privacy: 'open', text: 'U/1111-1111-1111-1111' } as const
  const { signal } = new AbortController()
  const failed = discoverRoom(options, { room }, new KnownHost(), signal).then(
    () => assert.unreachable(),
    (error: unknown) => error,
  )
  await clock.advance(20_000)
  const failure = await failed
  assert.ok(failure instanceof RoomFailure && failure.code === 'host-not-found', String(failure))
  return failure.hintCode
}

/** All that leaves the machines of a host and of a guest who finds it. */
async function sentByJoin(text: string, identity: NetworkIdentity): Promise<string> {
  const clock = createFakeClock()
  const random = createPrng(1)
  const sent: string[] = []
  const net = createVirtualNet({ clock, random: random.fork('net').next })
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const optionsOf = (name: string) => ({
    transports: recorded(house.machine().transports, sent),
    nodes: [],
    stunServers: [],
    isDirect: true,
    clock,
    randomBytes: random.fork(name).bytes,
    log: silentLog(),
    version: '0',
    secureStreams: plainStreams,
    privateIdentity: async () => identity,
  })
  const guest = optionsOf('guest')
  const { signal } = new AbortController()
  const host = await openMemberNetwork(optionsOf('host'), {
    identity,
    isHost: true,
    hostname: hostName(13_448),
    address: '10.144.144.1',
    signal,
    acceptsTcp: () => false,
    acceptsUdp: () => false,
    onStream: (stream) => stream.destroy(),
    onFlow: (flow) => flow.close(),
    wantsDirect: () => true,
    onChange() {},
  })
  const finding = discoverRoom(guest, { room: { privacy: 'private', text } }, new KnownHost(), signal)
  await clock.advance(5000)
  const { member } = await finding
  await member.close(new Error('left'))
  await host.close(new Error('closed'))
  return sent.join('\n')
}

/** Writes down everything that leaves the machine. */
function recorded(transports: Transports, sent: string[]): Transports {
  const note = (what: string, bytes: Uint8Array) =>
    void sent.push(`${what} ${Buffer.from(bytes).toString('hex')}`)
  const watched = (connection: Connection): Connection => ({
    ...connection,
    send(packet) {
      note('tcp', packet)
      connection.send(packet)
    },
  })
  return {
    ...transports,
    dialTcp: async (to, signal, from) => watched(await transports.dialTcp(to, signal, from)),
    listenTcp: (port, onConnection, signal) =>
      transports.listenTcp(port, (connection) => onConnection(watched(connection)), signal),
    async openUdp(port) {
      const socket = await transports.openUdp(port)
      return {
        ...socket,
        send(datagram, to) {
          note('udp', datagram)
          socket.send(datagram, to)
        },
      }
    },
    lan: {
      announce(key, port, signal) {
        sent.push(`lan ${key}`)
        return transports.lan.announce(key, port, signal)
      },
      discover(key, onFound, signal) {
        sent.push(`lan ${key}`)
        return transports.lan.discover(key, onFound, signal)
      },
    },
  }
}

test.run()
