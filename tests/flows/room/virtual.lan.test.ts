import { randomBytes } from 'node:crypto'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { createDeferred } from '#core/async/deferred'
import { createRelay } from '#core/easytier/relay/relay'
import type { PlayerConnection } from '#core/room/service/playerConnections'
import { type OpenRoom, openRoom } from '#support/room/openRoom'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { createVirtualNet } from '#support/virtualNet/virtualNet'

type Status = { readonly connections: readonly PlayerConnection[] }

const test = suite('A room over the network of its own, in memory', { timeoutMs: 60_000 })

const clock = createSystemClock()
const net = createVirtualNet({ clock, random: Math.random, delayMs: 1 })
let world: TestWorld
let host: OpenRoom
let guest: OpenRoom

const random = (size: number) => new Uint8Array(randomBytes(size))

const networkAt = (address: string, nodes: readonly string[] = [], isDirect = true) =>
  testRoomNetwork({
    transports: net.machine(address).transports,
    nodes,
    isDirect,
    clock,
    randomBytes: random,
  })

test.before.each(async () => {
  world = await startWorld({ announced: true })
  host = openRoom(networkAt('192.168.1.2'))
  guest = openRoom(networkAt('192.168.1.3'), { ROOM_HEARTBEAT_MS: '200' })
})

test.after.each(async () => {
  await Promise.all([host.close(), guest.close()])
  await world.close()
  assert.equal(net.leaks(), [])
})

test('two players on one LAN need no shared node', async () => {
  await host.ask('/state/scanning?player=Alex')
  await host.until('host-ok')
  const { room } = host.roomState.view()
  const started = performance.now()
  await guest.ask(`/state/guesting?room=${encodeURIComponent(room ?? '')}&player=Steve`)
  await guest.until('guest-ok')
  console.log('guest-ok after', Math.round(performance.now() - started), 'ms')
  assert.is(await world.echoThrough(guest.roomState.view().gamePort, 'hello'), 'hello')
  const ofHost = await connected(guest, isMeasured)
  const ofGuest = await connected(host, isMeasured)
  assert.equal([ofHost.path, ofHost.loss, ofHost.relayed], ['lan', 0, null])
  assert.equal([ofGuest.path, ofGuest.loss, ofGuest.relayed], ['lan', 0, null])
  const [hostProfile, guestProfile] = host.roomState.view().players
  assert.equal([ofHost.machineId, ofGuest.machineId], [hostProfile?.machineId, guestProfile?.machineId])
})

/** The first connection with these values, as the feed tells it. */
async function connected(
  room: OpenRoom,
  isAwaited: (connection: PlayerConnection) => boolean,
): Promise<PlayerConnection> {
  const found = createDeferred<PlayerConnection>()
  const look = (connections: readonly PlayerConnection[]) => {
    const [first] = connections.filter(isAwaited)
    if (first) found.resolve(first)
  }
  const unsubscribe = room.feed.subscribe((message) => {
    if (message.type === 'guests') look(message.connections)
  })
  look(room.roomState.view().connections)
  try {
    return await found.promise
  } finally {
    unsubscribe()
  }
}

function isMeasured({ latencyMs, loss, sentBytesPerSecond }: PlayerConnection): boolean {
  return latencyMs !== null && loss !== null && sentBytesPerSecond !== null
}

async function openRelay() {
  const relay = createRelay({
    hostname: 'test',
    version: '0',
    clock,
    log: silentLog(),
    randomBytes: random,
    limits: { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 },
  })
  const stopping = new AbortController()
  const { port } = await net.machine('9.9.9.9').transports.listenTcp(11010, relay.take, stopping.signal)
  return {
    relay,
    node: `tcp://9.9.9.9:${port}`,
    close() {
      relay.close()
      stopping.abort()
    },
  }
}

test('both ends are told that they are relayed, why, and what would change that', async () => {
  const { node, close } = await openRelay()
  const far = openRoom(networkAt('10.1.1.1', [node]), { ROOM_NODES: node })
  const other = openRoom(networkAt('10.2.2.2', [node], false), { ROOM_NODES: node, ROOM_HEARTBEAT_MS: '200' })
  try {
    await far.ask('/state/scanning?player=Alex')
    await far.until('host-ok')
    const room = far.roomState.view().room ?? ''
    await other.ask(`/state/guesting?room=${encodeURIComponent(room)}&player=Steve`)
    await other.until('guest-ok')
    const atGuest = await connected(other, isMeasured)
    const atHost = await connected(far, isMeasured)
    assert.equal([atGuest.path, atGuest.relayed?.code], ['relay', 'direct-off-here'])
    assert.equal([atHost.path, atHost.relayed?.code], ['relay', 'direct-off-there'])
    const status = (await (await far.ask('/room/status')).json()) as Status
    assert.equal(
      status.connections.map(({ machineId }) => machineId),
      [atHost.machineId],
    )
    assert.match(status.connections[0]?.relayed?.hint ?? '', 'settings')
  } finally {
    await Promise.all([far.close(), other.close()])
    close()
  }
})

test('players in two houses meet at a shared node, and go on directly', async () => {
  const { relay, node, close } = await openRelay()
  const far = openRoom(networkAt('10.1.1.1', [node]), { ROOM_NODES: node })
  const other = openRoom(networkAt('10.2.2.2', [node]), { ROOM_NODES: node, ROOM_HEARTBEAT_MS: '200' })
  try {
    await far.ask('/state/scanning?player=Alex')
    await far.until('host-ok')
    const started = performance.now()
    await other.ask(
      `/state/guesting?room=${encodeURIComponent(far.roomState.view().room ?? '')}&player=Steve`,
    )
    await other.until('guest-ok')
    console.log(
      'guest-ok after',
      Math.round(performance.now() - started),
      'ms',
      other.roomState.view().network?.path,
    )
    assert.is(await world.echoThrough(other.roomState.view().gamePort, 'hello'), 'hello')
    console.log(relay.counters())
  } finally {
    await Promise.all([far.close(), other.close()])
    close()
  }
})
