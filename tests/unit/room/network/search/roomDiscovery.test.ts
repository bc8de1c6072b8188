import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { openMemberNetwork, type RoomNetworkOptions } from '#core/room/network/members/memberNetwork'
import { hostName } from '#core/room/network/members/members'
import { createKnownHost } from '#core/room/network/search/knownHost'
import { discoverRoom } from '#core/room/network/search/roomDiscovery'
import type { RoomCode, RoomPrivacy } from '#core/room/roomCode'
import { createFakeClock } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

const test = suite('room: the search for the host of a code')

const ROOMS = {
  open: {
    privacy: 'open',
    text: 'U/1111-1111-1111-1111',
    networkName: 'scaffolding-mc-1111-1111',
    networkSecret: '1111-1111',
  },
  private: { privacy: 'private', text: 'L/1111-1111-1111-1111' },
} as const satisfies Record<RoomPrivacy, RoomCode>

const IDENTITIES = {
  open: { name: ROOMS.open.networkName, secret: ROOMS.open.networkSecret },
  private: { name: 'private', secret: 'derived' },
} as const

test('the host of an open room is not found by a private code with the same characters, nor the other way around', async () => {
  for (const [hosted, searched] of [
    ['open', 'private'],
    ['private', 'open'],
  ] as const) {
    const { clock, net, search, openHost } = setUp()
    const host = await openHost(hosted)
    const { result } = search(ROOMS[searched])
    await clock.advance(9000)
    const failure = await result
    assert.is('code' in failure && failure.code, 'host-not-found')
    await host.close(new Error('closed'))
    await clock.advance(1000)
    assert.equal(net.leaks(), [])
  }
})

test('nothing that a private join sends depends on anything but the stretched key', async () => {
  const join = async (text: string, identity: NetworkIdentity) => {
    const { clock, sent, search, openHost } = setUp(async () => identity)
    const host = await openHost('private', identity)
    const { result } = search({ privacy: 'private', text })
    await clock.advance(5000)
    const found = await result
    assert.ok(!(found instanceof Error))
    await found.member.close(new Error('left'))
    await host.close(new Error('closed'))
    return sent.join('\n')
  }
  const one = await join('L/1111-1111-1111-1111', IDENTITIES.private)
  assert.is(await join('L/2222-2222-2222-2222', IDENTITIES.private), one)
  assert.is.not(await join('L/1111-1111-1111-1111', { name: 'private', secret: 'another' }), one)
  assert.match(one, /^lan [0-9a-f]{32}$/m)
  assert.ok(one.split('\n').length > 10)
})

function setUp(privateIdentity: () => Promise<NetworkIdentity> = async () => IDENTITIES.private) {
  const clock = createFakeClock()
  const random = createPrng(1)
  const sent: string[] = []
  const net = createVirtualNet({ clock, random: random.fork('net').next })
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const newOptions = (name: string) => {
    const options: RoomNetworkOptions = {
      transports: recorded(house.machine().transports, sent),
      nodes: [],
      stunServers: [],
      isDirect: true,
      clock,
      randomBytes: random.fork(name).bytes,
      log: silentLog(),
      version: '0',
      secureStreams: plainStreams,
      privateIdentity,
    }
    return { ...options, clock }
  }
  const options = newOptions('guest')
  return {
    clock,
    net,
    sent,
    options,
    search(room: RoomCode = ROOMS.open) {
      const controller = new AbortController()
      const steps: string[] = []
      const request = { room, onStep: (step: string) => void steps.push(step), signal: controller.signal }
      const result = discoverRoom(options, request, createKnownHost(undefined)).catch(
        (error: unknown) => error as Error,
      )
      return { result, steps, stop: () => controller.abort(new Error('stopped')) }
    },
    openHost: (privacy: RoomPrivacy, identity: NetworkIdentity = IDENTITIES[privacy]) =>
      openMemberNetwork(newOptions('host'), {
        identity,
        isHost: true,
        hostname: hostName(13_448),
        address: '10.144.144.1',
        signal: new AbortController().signal,
        acceptsTcp: () => false,
        acceptsUdp: () => false,
        onStream: (stream) => stream.destroy(),
        onFlow: (flow) => flow.close(),
        wantsDirect: () => true,
        onChange() {},
      }),
  }
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
