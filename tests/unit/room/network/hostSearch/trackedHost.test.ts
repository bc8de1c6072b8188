import { createEmitter } from '@lantern-room/base/async'
import type { Network, RemotePeer } from '@lantern-room/easytier'
import { generateRoomCode } from '@lantern-room/protocol'
import type { FoundRoom } from '#internal/room/network/hostSearch/discovery'
import { HostQuestions, KnownHost } from '#internal/room/network/hostSearch/hostProof'
import { HostSearch } from '#internal/room/network/hostSearch/hostSearch'
import type { RoomNetworkOptions } from '#internal/room/network/members/memberNetwork'
import type { NetworkEvent } from '#internal/room/networkStatus'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('room: the connection of a guest to its host', {
  setUp,
  tearDown: ({ stop }) => stop(),
})

const HOST = 7

function hostPeer(peerId: number): RemotePeer {
  const connection = { origin: { transport: 'udp', isDialler: true }, roundTrip: 20 }
  const record = {
    peerId,
    hostname: 'scaffolding-mc-server-13448',
    address: '10.144.144.1',
    programVersion: '2.6.4-lantern',
    features: { isSharedNode: false },
    udpNatType: 3,
  }
  return { record, connection, via: connection } as unknown as RemotePeer
}

/** A guest whose host answers probes after 20 ms, as long as `world.answers` is true. */
function setUp() {
  const clock = createFakeClock()
  const controller = new AbortController()
  const world = {
    peers: [hostPeer(HOST)] as readonly RemotePeer[],
    answers: true,
    sealsOtherwise: false,
    /** What other members answer when they are asked who they are: nothing, no key, or one. */
    keys: new Map<number, Uint8Array | undefined>(),
  }
  const asked: number[] = []
  const events: string[] = []
  const dials: number[] = []
  const changes = createEmitter<void>()
  const network = {
    peers: () => world.peers,
    nodes: () => [],
    natType: () => 0,
    lastSeenAt: () => 0,
    forgetPeer() {},
    traffic: () => ({ sent: 0, received: 0 }),
    memberRelay: () => undefined,
    generations: { list: () => [0] },
    sealsOtherwise: () => world.sealsOtherwise,
    call(
      _peerId: number,
      _method: string,
      _request: Uint8Array,
      _ms: number,
      done: Parameters<Network['call']>[4],
    ) {
      if (world.answers) clock.after(20, () => done({ kind: 'response', response: new Uint8Array(0) }))
    },
    dial(_peerId: number, _to: unknown, signal: AbortSignal) {
      dials.push(clock.now())
      return never(signal)
    },
  }
  const known = new KnownHost()
  const { signal } = controller
  const proof = {
    async ask(peerId: number) {
      asked.push(peerId)
      if (!world.keys.has(peerId)) return undefined
      return { kind: 'host' as const, key: world.keys.get(peerId) }
    },
  }
  const found = {
    member: { network, signal, closed: Promise.resolve() },
    changes,
    host: { peer: hostPeer(HOST), hasAnswered: false, isOneOfSeveral: false },
    meet() {},
    questions: new HostQuestions({ proof, known, onProved: changes.emit, clock, signal }),
  }
  const transports = { machine: { isOnOwnSubnet: () => false } }
  const options = { transports, isDirect: true, clock, log: silentLog() } as unknown as RoomNetworkOptions
  const room = generateRoomCode(() => 0)
  const guest = { options, room, known, outlivesNetwork: false, signal }
  const { connection } = HostSearch.from(guest, found as unknown as FoundRoom)
  connection.onEvent((event: NetworkEvent) => {
    if (event.kind === 'lost') events.push(`${clock.now()} lost`)
    if (event.kind === 'back') events.push(`${clock.now()} ${event.isRestarted ? 'restarted' : 'back'}`)
  })
  const stop = async () => {
    controller.abort(new Error('left'))
    await clock.advance(0)
  }
  return { clock, world, connection, changes, events, dials, asked, stop }
}

test('a host is lost after 6 s of silence, and back with its next answer', async ({
  clock,
  world,
  events,
}) => {
  await clock.advance(100)
  world.answers = false
  await clock.advance(6650)
  assert.equal(events, ['6250 lost'])
  world.answers = true
  await clock.advance(1000)
  assert.equal(events, ['6250 lost', '7270 back'])
})

test('a host without a route is lost after 1.5 s, and stays known', async (setting) => {
  const { clock, world, connection, changes, events } = setting
  await clock.advance(100)
  world.peers = []
  changes.emit()
  await clock.advance(1650)
  assert.equal(events, ['1750 lost'])
  assert.equal([connection.host.member.id, connection.host.roomPort], ['7', 13_448])
})

for (const [answers, backAt] of [
  ['at once', 30_110],
  ['after 300 ms, in which it has no route to this member yet', 30_610],
] as const)
  test(`a lost host to which a route leads again is probed until it answers: ${answers}`, async (setting) => {
    const { clock, world, changes, events } = setting
    await clock.advance(100)
    world.peers = []
    world.answers = false
    changes.emit()
    await clock.advance(29_990)
    world.peers = [hostPeer(HOST)]
    world.answers = answers === 'at once'
    changes.emit()
    await clock.advance(300)
    world.answers = true
    await clock.advance(1000)
    assert.equal(events, ['1750 lost', `${backAt} back`])
  })

const [KEY, OTHER_KEY] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array]

test('once a key is known, only a member that proves it replaces a lost host; nobody is asked before', async (setting) => {
  const { clock, world, connection, changes, events, asked } = setting
  assert.ok(connection.checkHost(KEY))
  await clock.advance(100)
  for (const [id, key] of [
    [8, OTHER_KEY],
    [9, undefined],
    [10, KEY],
  ] as const)
    world.keys.set(id, key)
  world.peers = [HOST, 8, 9, 10, 11].map(hostPeer)
  changes.emit()
  await clock.advance(10)
  assert.equal([asked, connection.isOtherHostThere()], [[], false])
  world.peers = [8, 9, 11].map(hostPeer)
  world.answers = false
  changes.emit()
  await clock.advance(5000)
  assert.equal([connection.host.member.id, events, connection.isOtherHostThere()], ['7', ['1750 lost'], true])
  world.peers = [8, 9, 10, 11].map(hostPeer)
  changes.emit()
  await clock.advance(10)
  assert.equal([connection.host.member.id, events.slice(1)], ['10', ['5110 restarted']])
  assert.not(connection.isOtherHostThere())
})

test('a host without a key is not replaced by a member that was there with it, nor by one with another address', async (setting) => {
  const { clock, world, connection, changes, events, asked } = setting
  assert.ok(connection.checkHost(undefined))
  world.peers = [HOST, 8].map(hostPeer)
  changes.emit()
  await clock.advance(100)
  world.peers = [hostPeer(8)]
  world.answers = false
  changes.emit()
  await clock.advance(100)
  const elsewhere = hostPeer(9)
  world.peers = [
    hostPeer(8),
    { ...elsewhere, record: { ...elsewhere.record, address: '10.144.144.2' } } as RemotePeer,
  ]
  changes.emit()
  await clock.advance(30_000)
  assert.equal([connection.host.member.id, events.length, asked], ['7', 1, []])
})

test('a host without a key that was killed is found again, also where its old run is still seen for a while', async () => {
  for (const isStillSeen of [false, true]) {
    const { clock, world, connection, changes, events } = setUp()
    assert.ok(connection.checkHost(undefined))
    await clock.advance(100)
    world.answers = false
    if (!isStillSeen) world.peers = []
    changes.emit()
    await clock.advance(2000)
    world.peers = [...world.peers, hostPeer(8)]
    changes.emit()
    await clock.advance(isStillSeen ? 6000 : 10)
    assert.is(connection.host.member.id, '8')
    assert.match(events.at(-1) ?? '', /restarted/)
  }
})

test('a member that answers in the name of the host with another key leaves room for the right one', async (setting) => {
  const { clock, world, connection, changes } = setting
  connection.checkHost(KEY)
  world.keys.set(8, KEY)
  world.peers = [hostPeer(HOST), hostPeer(8)]
  assert.not(connection.checkHost(OTHER_KEY))
  changes.emit()
  await clock.advance(10)
  assert.is(connection.host.member.id, '8')
})

test('until a host has answered others are asked beside it, and the first that answers is the host', async (setting) => {
  const { clock, world, connection, changes, events, asked } = setting
  await clock.advance(100)
  assert.equal([connection.isHostAwaited(), asked], [true, []])
  world.peers = [HOST, 8, 9].map(hostPeer)
  changes.emit()
  await clock.advance(1000)
  assert.equal([connection.host.member.id, events], ['7', []])
  world.keys.set(9, KEY)
  await clock.advance(1000)
  assert.equal([connection.host.member.id, events.length, connection.isHostAwaited()], ['9', 1, false])
  assert.match(events[0] ?? '', /restarted/)
  assert.ok(connection.isOneOfSeveral())
  world.keys.set(8, OTHER_KEY)
  await clock.advance(2000)
  assert.is(connection.host.member.id, '9')
})

test('once the host has answered nobody else is asked, with a key or without one', async () => {
  for (const key of [KEY, undefined]) {
    const { clock, world, connection, changes, asked, stop } = setUp()
    assert.ok(connection.checkHost(key))
    assert.not(connection.isHostAwaited())
    world.keys.set(8, OTHER_KEY)
    world.peers = [HOST, 8].map(hostPeer)
    changes.emit()
    await clock.advance(1000)
    assert.equal([connection.host.member.id, asked], ['7', []])
    await stop()
  }
})

test('a host that encrypts in another way is told as what it is, as soon as that is seen', async (setting) => {
  const { clock, world, connection } = setting
  let failure: { code?: string; hintCode?: string } | undefined
  const dialling = connection.dial(25_565, undefined, 60_000).catch((error: { code?: string }) => {
    failure = error
  })
  await clock.advance(10_000)
  assert.is(failure, undefined)
  world.sealsOtherwise = true
  await clock.advance(2000)
  await dialling
  assert.equal([failure?.code, failure?.hintCode], ['host-unreachable', 'other-encryption'])
})

test('with patience a dial goes on while the host is seen, and then says that no direct path was found', async (setting) => {
  const { clock, world, connection, changes, dials } = setting
  const host = { ...hostPeer(HOST), connection: undefined }
  world.peers = [host]
  changes.emit()
  let failure: { code?: string; hintCode?: string } | undefined
  const dial = () =>
    connection.dial(25_565, undefined, 60_000).catch((error: { code?: string }) => {
      failure = error
    })
  void dial()
  await clock.advance(59_000)
  assert.is(failure, undefined)
  assert.is(dials.at(-1), 58_900)
  await clock.advance(1000)
  assert.is(failure?.code, 'host-unreachable')
  assert.is(failure?.hintCode, 'no-direct-path')
  failure = undefined
  void dial()
  await clock.advance(5000)
  world.peers = []
  changes.emit()
  await clock.advance(5000)
  assert.is((failure as { code?: string } | undefined)?.code, 'host-unreachable')
})

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

test.run()
