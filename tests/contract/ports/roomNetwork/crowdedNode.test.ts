import { createSystemClock } from '@lantern-room/adapters/system'
import { createNodeTransports } from '@lantern-room/adapters/transports'
import { generateRoomCode } from '@lantern-room/protocol'
import type { RoomFailure } from '@lantern-room/room'
import { startRelay, type TestRelay } from '#support/network/relay'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { eventually } from '#support/values/until'
import { echo, GAME_PORT, type OpenGuest, openGuest, openHost } from './networkFixture'

// A school, a LAN party or a carrier's NAT: everyone has one address. All sockets are real, on loopback.
const test = suite('a shared node with many players of one address', { timeoutMs: 120_000 })

const PLAYERS = 40
/** As `room relay` has them unless it is told otherwise. */
const LIMITS = { connectionsPerAddress: 32 }

const clock = createSystemClock()
const transports = createNodeTransports({ lanInterfaces: ['127.0.0.1'], clock, log: silentLog() })

function networkAt(nodes: readonly string[], isDirect = false) {
  return testRoomNetwork({ transports, nodes, isDirect, clock })
}

test('forty guests of one address are in one room, each by two transports, and play', async () => {
  const relay = await startRelay(LIMITS)
  const nodes = [relay.urls.tcp, relay.urls.udp]
  const host = await openHost(networkAt(nodes))
  const guests: OpenGuest[] = []
  // All of them share this process, so that they come one after the other.
  while (guests.length < PLAYERS) guests.push(await openGuest(networkAt(nodes), host.room))
  await eventually(
    async () => relay.counters(),
    ({ connections }) => connections === 2 * (PLAYERS + 1),
  )
  assert.is(relay.counters().members, PLAYERS + 1)
  await eventually(
    async () => host.session.members().length,
    (members) => members === PLAYERS,
  )
  for (const { session } of guests) await echo(await session.dial(GAME_PORT))
  await Promise.all([...guests, host].map(({ stop }) => stop()))
  await relay.close()
})

for (const transport of ['tcp', 'udp', 'ws'] as const) {
  test(`by ${transport} a host and a guest are told why the node takes no more of them`, async () => {
    const relay = await startRelay({ connectionsPerAddress: 1 })
    const first = await openHost(networkAt([relay.urls[transport]]))
    const expected = [
      'no-relay-reachable',
      'node-address-limit',
      /no more connections from this network address/,
    ]
    const failures = await Promise.all([
      failureOf(openHost(networkAt([relay.urls[transport]]))),
      failureOf(openGuest(networkAt([relay.urls[transport]]), generateRoomCode())),
    ])
    for (const failure of failures) assertTold(failure, expected)
    // The room that is there takes the guest.
    const guest = await openGuest(networkAt([relay.urls[transport]]), first.room)
    await Promise.all([guest, first].map(({ stop }) => stop()))
    await relay.close()
  })
}

test('a full node, and a room that is full there, are told apart from a firewall', async () => {
  const expected = ['no-relay-reachable', 'node-full', /^The shared node is full/]
  const ofOneRoom = await startRelay({ networks: 1 })
  const ofTwoMembers = await startRelay({ membersPerNetwork: 2 })
  const first = await openHost(networkAt([ofOneRoom.urls.tcp]))
  const host = await openHost(networkAt([ofTwoMembers.urls.tcp]))
  const guest = await openGuest(networkAt([ofTwoMembers.urls.tcp]), host.room)
  const failures = await Promise.all([
    failureOf(openHost(networkAt([ofOneRoom.urls.tcp]))),
    failureOf(openGuest(networkAt([ofTwoMembers.urls.tcp]), host.room)),
  ])
  for (const failure of failures) assertTold(failure, expected)
  await Promise.all([guest, host, first].map(({ stop }) => stop()))
  await Promise.all([ofOneRoom, ofTwoMembers].map((relay: TestRelay) => relay.close()))
})

test('a guest is told that nobody hosts its room only of the nodes that it has reached, where another one refuses it', async () => {
  const working = await startRelay()
  const full = await startRelay({ networks: 1 })
  const crowded = await startRelay({ connectionsPerAddress: 1 })
  const others = await Promise.all([full, crowded].map(({ urls }) => openHost(networkAt([urls.tcp]))))
  const room = generateRoomCode()
  const failures = await Promise.all(
    [full, crowded].map(({ urls }) => failureOf(openGuest(networkAt([working.urls.tcp, urls.tcp]), room))),
  )
  const [ofFull, ofCrowded] = failures
  assert.ok(ofFull && ofCrowded)
  assertTold(ofFull, ['host-not-found', 'other-node-full', /can be reached; another one is full/])
  assertTold(ofCrowded, [
    'host-not-found',
    'other-node-address-limit',
    /another one takes no more connections/,
  ])
  await Promise.all(others.map(({ stop }) => stop()))
  await Promise.all([working, full, crowded].map((relay: TestRelay) => relay.close()))
})

test('a host that opens for the LAN alone shows which of its nodes has refused it, until it is taken', async () => {
  const relay = await startRelay({ connectionsPerAddress: 1 })
  const nodes = [relay.urls.tcp]
  const first = await openHost(networkAt(nodes))
  const second = await openHost(networkAt(nodes, true))
  const shown = () => second.session.status().nodes.map(({ state, refusal }) => [state, refusal])
  // On a busy machine the host may be open before the node has answered.
  const refused = await eventually(
    async () => shown(),
    ([node]) => node?.[0] === 'failed',
  )
  assert.equal(refused, [['failed', 'address-limit']])
  await first.stop()
  await eventually(
    async () => shown(),
    ([node]) => node?.[0] === 'connected',
  )
  assert.equal(shown(), [['connected', undefined]])
  await second.stop()
  await relay.close()
})

async function failureOf(opening: Promise<unknown>): Promise<RoomFailure> {
  const error = await opening.then(
    () => undefined,
    (thrown: RoomFailure) => thrown,
  )
  if (!error) throw new Error('it was opened')
  return error
}

function assertTold(
  { code, hintCode, detail }: RoomFailure,
  [expected, hint, text]: readonly unknown[],
): void {
  assert.equal([code, hintCode], [expected, hint])
  assert.match(detail, text as RegExp)
}

test.run()
