import { randomBytes } from 'node:crypto'
import { createRelay } from '@lantern-room/easytier'
import type { PlayerConnection } from '@lantern-room/room/client'
import type { OpenRoom } from '#support/room/openRoom'
import { virtualPlayersOf } from '#support/room/virtualPlayers'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { eventually } from '#support/values/until'

type Status = { readonly connections: readonly PlayerConnection[] }

const test = suite('A room over the network of its own, in memory', { timeoutMs: 60_000 })

const { net, clock, add, open, announceWorld, startPlayers } = virtualPlayersOf(test)

/** Brings a guest into the host's room. */
async function meet(host: OpenRoom, guest: OpenRoom): Promise<void> {
  await host.ask('/state/scanning?player=Alex')
  await host.until('host-ok')
  const room = host.roomState.view().room ?? ''
  await guest.ask(`/state/guesting?room=${encodeURIComponent(room)}&player=Steve`)
  await guest.until('guest-ok')
}

test('two players on one LAN need no shared node', async () => {
  const { world, host, guest } = await startPlayers()
  await meet(host, guest)
  assert.is(await world.echoThrough(guest.roomState.view().gamePort, 'hello'), 'hello')
  const ofHost = await connected(guest)
  const ofGuest = await connected(host)
  assert.equal([ofHost.path, ofHost.loss, ofHost.relayed], ['lan', 0, null])
  assert.equal([ofGuest.path, ofGuest.loss, ofGuest.relayed], ['lan', 0, null])
  const [hostProfile, guestProfile] = host.roomState.view().players
  assert.equal([ofHost.machineId, ofGuest.machineId], [hostProfile?.machineId, guestProfile?.machineId])
})

/** The first connection that is measured. */
async function connected(room: OpenRoom): Promise<PlayerConnection> {
  const look = async () => room.roomState.view().connections.find(isMeasured)
  return (await eventually(look, (found) => found !== undefined)) as PlayerConnection
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
  return `tcp://9.9.9.9:${port}`
}

test('both ends are told that they are relayed, why, and what would change that', async () => {
  await announceWorld()
  const node = await openRelay()
  const far = open('10.1.1.1', { nodes: [node] }, { ROOM_NODES: node })
  const settings = { ROOM_NODES: node, ROOM_HEARTBEAT_MS: '200' }
  const other = open('10.2.2.2', { nodes: [node], isDirect: false }, settings)
  await meet(far, other)
  const atGuest = await connected(other)
  const atHost = await connected(far)
  assert.equal([atGuest.path, atGuest.relayed?.code], ['relay', 'direct-off-here'])
  assert.equal([atHost.path, atHost.relayed?.code], ['relay', 'direct-off-there'])
  const status = (await (await far.ask('/room/status')).json()) as Status
  assert.equal(
    status.connections.map(({ machineId }) => machineId),
    [atHost.machineId],
  )
  assert.match(status.connections[0]?.relayed?.hint ?? '', 'settings')
})

test.run()
