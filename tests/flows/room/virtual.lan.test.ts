import { randomBytes } from 'node:crypto'
import { createDeferred } from '#core/async/deferred'
import { createRelay } from '#core/easytier/relay/relay'
import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import type { OpenRoom } from '#support/room/openRoom'
import { virtualPlayersOf } from '#support/room/virtualPlayers'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

type Status = { readonly connections: readonly PlayerConnection[] }

const test = suite('A room over the network of its own, in memory', { timeoutMs: 60_000 })

const { net, clock, add, open, announceWorld, startPlayers } = virtualPlayersOf(test)

/** Brings a guest into the host's room. @returns how many milliseconds it took */
async function meet(host: OpenRoom, guest: OpenRoom): Promise<number> {
  await host.ask('/state/scanning?player=Alex')
  await host.until('host-ok')
  const room = host.roomState.view().room ?? ''
  const started = performance.now()
  await guest.ask(`/state/guesting?room=${encodeURIComponent(room)}&player=Steve`)
  await guest.until('guest-ok')
  return Math.round(performance.now() - started)
}

test('two players on one LAN need no shared node', async () => {
  const { world, host, guest } = await startPlayers()
  console.log('guest-ok after', await meet(host, guest), 'ms')
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
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    limits: { networks: 10, membersPerNetwork: 64, connectionsPerAddress: 64, bytesPerSecond: 1e9 },
  })
  const stopping = new AbortController()
  const { port } = await net.machine('9.9.9.9').transports.listenTcp(11010, relay.take, stopping.signal)
  add(async () => {
    relay.close()
    stopping.abort()
  })
  return { relay, node: `tcp://9.9.9.9:${port}` }
}

/** Two players in two houses, one with a world, who meet at a shared node. */
async function meetAtRelay(isDirect: boolean) {
  const world = await announceWorld()
  const { relay, node } = await openRelay()
  const far = open('10.1.1.1', { nodes: [node] }, { ROOM_NODES: node })
  const other = open('10.2.2.2', { nodes: [node], isDirect }, { ROOM_NODES: node, ROOM_HEARTBEAT_MS: '200' })
  return { world, relay, far, other, tookMs: await meet(far, other) }
}

test('both ends are told that they are relayed, why, and what would change that', async () => {
  const { far, other } = await meetAtRelay(false)
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
})

test('players in two houses meet at a shared node, and go on directly', async () => {
  const { world, relay, other, tookMs } = await meetAtRelay(true)
  console.log('guest-ok after', tookMs, 'ms', other.roomState.view().network?.path)
  assert.is(await world.echoThrough(other.roomState.view().gamePort, 'hello'), 'hello')
  console.log(relay.counters())
})

test.run()
