import { generateRoomCode } from '@lantern-room/protocol'
import type { GuestConnection, HostConnection } from '@lantern-room/room/network'
import { settled } from '#support/network/fakeClock'
import { plainStreams } from '#support/room/plainStreams'
import { testCredentials } from '#support/room/testCredentials'
import { testRoomNetwork } from '#support/room/testRoomNetwork'
import { assert, suite } from '#support/runner/suite'
import { createTestNet } from '#support/virtualNet/testNet'
import type { NatKind } from '#support/virtualNet/virtualNet'

const test = suite('room network: a friend as relay', { timeoutMs: 60_000 })

/** A room whose host is behind a strict router, with a shared node. */
async function setUp() {
  const { clock, random, net, atEnd, sharedNode, close } = createTestNet()
  const settings = await sharedNode('9.9.9.9')
  const stopping = new AbortController()
  const { signal } = stopping
  atEnd(() => stopping.abort(new Error('stopped')))
  const room = generateRoomCode()
  let count = 0

  const networkAt = (nat: NatKind, isDirect: boolean) => {
    count += 1
    const house = net.house({ publicAddress: `20.0.${count}.21`, nat })
    house.line.delayMs = 10
    return testRoomNetwork({
      ...settings,
      transports: house.machine().transports,
      isDirect,
      friendRelayBytesPerSecond: 500_000,
      clock,
      randomBytes: random.fork(`player ${count}`).bytes,
      secureStreams: plainStreams,
    })
  }
  const host: HostConnection = await settled(
    clock,
    networkAt('symmetric', true).host({
      room,
      roomPort: 13_448,
      exposed: { tcp: [13_448], udp: [] },
      credentials: testCredentials(),
      onStream: (stream) => stream.destroy(),
      onFlow: (flow) => flow.close(),
      signal,
    }),
  )
  return {
    clock,
    host,
    join: (nat: NatKind, friendRelay: boolean | undefined, isDirect = true): Promise<GuestConnection> =>
      settled(clock, networkAt(nat, isDirect).join({ room, friendRelay, onStep() {}, signal })),
    close: () => close(2000),
  }
}

test('a guest with a public address carries for host and guest, and each of the three is told', async () => {
  const { clock, host, join, close } = await setUp()
  const friend = await join('open', true)
  const guest = await join('symmetric', undefined)
  await clock.advance(30_000)
  const { path } = guest.status()
  assert.equal([path?.kind, path?.relayedBy, path?.transport], ['relay', 'friend', 'udp'])
  assert.ok(path?.latencyMs !== undefined && path.latencyMs < 100, String(path?.latencyMs))
  const told = host.links().map(({ path, relayedBy, relayReason }) => [path, relayedBy, relayReason])
  assert.equal(told.sort(), [
    ['direct', undefined, undefined],
    ['relay', 'friend', 'strict-routers'],
  ])
  const carried = friend.status().friendRelay
  assert.equal([carried?.state, carried?.bytesPerSecond], ['offered', 500_000])
  assert.equal([host.status().friendRelay, guest.status().friendRelay], [undefined, undefined])
  await settled(
    clock,
    guest.dial(13_448).catch(() => undefined),
  )
  const during = friend.status().friendRelay
  assert.equal([during?.state, during?.pairs], ['carrying', 1])
  assert.ok((during?.bytes ?? 0) > 0)
  await close()
})

test('a friend whom not everybody reaches offers nothing, and says why', async () => {
  for (const [nat, isDirect, state] of [
    ['cone', true, 'no-public-address'],
    ['open', false, 'direct-off'],
  ] as const) {
    const { clock, join, close } = await setUp()
    const friend = await join(nat, true, isDirect)
    const guest = await join('symmetric', undefined)
    await clock.advance(30_000)
    assert.is(guest.status().path?.relayedBy, 'node')
    assert.is(friend.status().friendRelay?.state, state)
    await close()
  }
})

test('a guest with a direct path to the host connects to no friend', async () => {
  const { clock, join, close } = await setUp()
  const friend = await join('open', true)
  const guest = await join('open', undefined)
  await clock.advance(30_000)
  assert.is(guest.status().path?.kind, 'direct')
  const others = friend.members().filter(({ remoteAddress }) => remoteAddress !== undefined)
  assert.is(others.length, 1, 'the host alone')
  await close()
})

test.run()
