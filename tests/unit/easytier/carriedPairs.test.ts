import type { ByteStream } from '@lantern-room/base/bytes'
import type { NetworkOptions } from '#internal/easytier/network'
import { echoAll } from '#support/network/byteStreams'
import { assert, suite } from '#support/runner/suite'
import { type Ground, openGround, type Player, type PlayerHouse } from './holePunching/ground'

const test = suite('easytier: a pair that a third member carries', { timeoutMs: 60_000 })

const open: PlayerHouse = { nat: 'open' }
const strict: PlayerHouse = { nat: 'symmetric' }
const RATE = { bytesPerSecond: 1_000_000 }
const GAME_PORT = 25_565

/** A pair behind strict routers, and a third member. */
async function setUp(third: Partial<NetworkOptions>) {
  const ground = await openGround(1)
  const offersRelay: NetworkOptions['offersRelay'] = ({ features }) =>
    !features.isSharedNode && !features.avoidsRelay
  const host = await ground.open(strict, {
    offersRelay,
    acceptsTcp: () => true,
    onStream: (stream) => void echoAll(stream),
  })
  const friend = await ground.open(open, third)
  const guest = await ground.open(strict, { offersRelay })
  await ground.clock.advance(8000)
  return { ground, host, friend, guest }
}

function viaOf(one: Player, other: Player): number | undefined {
  const found = one.peer.peer(other.peer.ownId)
  return found?.connection ? found.record.peerId : found?.via?.peerId
}

async function dial({ clock }: Ground, from: Player, to: Player): Promise<ByteStream> {
  const opening = from.peer.dial(to.peer.ownId, { address: '10.144.144.1', port: GAME_PORT })
  await clock.advance(1000)
  return opening
}

/** How long until all of it has come back; undefined when it takes longer than this. */
async function echoed(
  { clock }: Ground,
  stream: ByteStream,
  size: number,
  limitMs: number,
): Promise<number | undefined> {
  const startedAt = clock.now()
  let received = 0
  const reading = async () => {
    while (received < size) received += (await stream.read())?.length ?? size
  }
  const done = reading().catch(() => undefined)
  void stream.write(new Uint8Array(size).fill(7))
  while (received < size && clock.now() - startedAt < limitMs) await clock.advance(10)
  if (received < size) return undefined
  await done
  return clock.now() - startedAt
}

test('when the friend dies amid play, the stream goes on through the node', async () => {
  const { ground, host, friend, guest } = await setUp({ relays: RATE })
  const stream = await dial(ground, guest, host)
  assert.ok((await echoed(ground, stream, 10_000, 5000)) !== undefined)
  friend.machine.setOnline(false)
  const took = await echoed(ground, stream, 10_000, 20_000)
  assert.ok(took !== undefined && took < 8000, `the stream stood still for ${took} ms`)
  for (const [one, other] of [
    [guest, host],
    [host, guest],
  ] as const)
    assert.is(one.peer.peer(other.peer.ownId)?.via?.isSharedNode, true)
  // It returns, and is used again.
  friend.machine.setOnline(true)
  await ground.clock.advance(60_000)
  assert.equal([viaOf(guest, host), viaOf(host, guest)], [friend.peer.ownId, friend.peer.ownId])
  assert.ok((await echoed(ground, stream, 10_000, 5000)) !== undefined)
  await ground.close()
})

test('a friend who answers and carries nothing is left for the node', async () => {
  // Without relaying, it tells that it does.
  const { ground, host, friend, guest } = await setUp({ relays: { bytesPerSecond: 0.001 } })
  const stream = await dial(ground, guest, host).catch(() => undefined)
  await ground.clock.advance(5000)
  const another = stream ?? (await dial(ground, guest, host))
  assert.ok((await echoed(ground, another, 10_000, 20_000)) !== undefined)
  assert.is(guest.peer.peer(host.peer.ownId)?.via?.isSharedNode, true)
  assert.ok(guest.peer.peer(friend.peer.ownId)?.connection)
  await ground.close()
})

test('a member that was not asked is no relay', async () => {
  const { ground, host, friend, guest } = await setUp({})
  assert.is(guest.peer.peer(host.peer.ownId)?.via?.isSharedNode, true)
  assert.is(guest.peer.peer(friend.peer.ownId)?.record.features.avoidsRelay, true)
  const stream = await dial(ground, guest, host)
  assert.ok((await echoed(ground, stream, 10_000, 5000)) !== undefined)
  assert.is(friend.peer.memberRelay(), undefined)
  await ground.close()
})

test('the friend carries no more than its rate', async () => {
  const { ground, host, friend, guest } = await setUp({ relays: { bytesPerSecond: 100_000 } })
  const stream = await dial(ground, guest, host)
  const before = friend.peer.memberRelay()?.bytes ?? 0
  const startedAt = ground.clock.now()
  await echoed(ground, stream, 400_000, 5000)
  const seconds = (ground.clock.now() - startedAt) / 1000
  const rate = ((friend.peer.memberRelay()?.bytes ?? 0) - before) / seconds
  assert.ok(rate > 50_000 && rate < 105_000, `${rate} bytes a second`)
  await ground.close()
})

test.run()
