import type { RemotePeer } from '#internal/easytier/peer/peerOptions'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { openGround, openPair, type PlayerHouse } from './ground'

const test = suite('easytier: hole punching that stops early, late, or starts again', { timeoutMs: 60_000 })

const cone: PlayerHouse = { nat: 'cone', isCrowded: true }
const symmetric: PlayerHouse = { nat: 'symmetric' }
const closed: PlayerHouse = { nat: 'cone', blocksUdp: true }
const pairs = [
  [cone, cone],
  [cone, symmetric],
  [symmetric, cone],
  [cone, closed],
] as const

test('a stop at any moment leaves no socket and no timer on either side', async () => {
  const chance = createPrng(7)
  for (let run = 0; run < 20; run += 1) {
    const ground = await openGround(run)
    const [first, second] = await openPair(ground, pairs[run % pairs.length] ?? pairs[0])
    await ground.clock.advance(chance.integer(0, 1500))
    await (chance.isTrue(0.5) ? first : second).close()
    await ground.clock.advance(chance.integer(0, 1500))
    // It checks that nothing is open, and that no timer runs.
    await ground.close()
  }
})

test('once they are connected, no extra socket is held and nothing more is sent to the router', async () => {
  for (const pair of pairs) {
    const ground = await openGround(3)
    const [first, second] = await openPair(ground, pair)
    assert.ok((await ground.untilDirect(second, first, 20_000)) !== undefined)
    await ground.clock.advance(12_000)
    const since = ground.clock.now()
    await ground.clock.advance(20_000)
    for (const { sent, machine } of [first, second]) {
      assert.is(sent.filter((one) => one.isPunch && one.at >= since).length, 0)
      const open = ground.net.leaks().find((leak) => leak.startsWith(machine.address) && leak.includes('UDP'))
      assert.ok(Number(/(\d+) UDP/.exec(open ?? '')?.[1]) <= 3, open)
    }
    await ground.close()
  }
})

test('where TCP succeeded first, UDP is attempted beside it, and takes over once it succeeds', async () => {
  const ground = await openGround(4)
  const [first, second] = await openPair(ground, [cone, closed])
  assert.ok((await ground.untilDirect(second, first, 20_000)) !== undefined)
  assert.is(ground.pathOf(second, first)?.transport, 'tcp')
  second.house.setUdpBlocked(false)
  // An unknown type is detected again every 10 s.
  await ground.clock.advance(15_000)
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    assert.is(ground.pathOf(one, other)?.transport, 'udp')
    const opened = one.messages.filter((text) => /^connected to a member.*"udp"/.test(text))
    assert.ok(opened.length <= 2, opened.join('\n'))
  }
  const since = ground.clock.now()
  await ground.clock.advance(60_000)
  for (const { sent } of [first, second])
    assert.is(sent.filter((one) => one.isPunch && one.at >= since).length, 0, 'nothing more is sent')
  await ground.close()
})

test('a lost connection is opened again, through routers that have forgotten all mappings', async () => {
  const ground = await openGround(5)
  const [first, second] = await openPair(ground, [cone, cone])
  assert.ok((await ground.untilDirect(second, first, 5000)) !== undefined)
  first.house.restart()
  second.house.restart()
  // Silence is noticed after 12 s; the shared node is lost as well and dialled again.
  await ground.clock.advance(14_000)
  const took = await ground.untilDirect(second, first, 40_000)
  assert.ok(took !== undefined, second.messages.slice(-30).join('\n'))
  await ground.close()
})

test('after a move to another network, NAT types are detected again and the machine is connected from there', async () => {
  const ground = await openGround(6)
  const [first, second] = await openPair(ground, [cone, symmetric])
  assert.ok((await ground.untilDirect(second, first, 20_000)) !== undefined)
  const home = ground.net.house({ publicAddress: '20.9.0.1', nat: 'cone' })
  second.machine.moveTo(home)
  await ground.clock.advance(14_000)
  assert.ok((await ground.untilDirect(second, first, 40_000)) !== undefined)
  assert.is(second.peer.natType(), 5)
  await ground.close()
})

test('with a fifth of all datagrams lost it only takes longer', async () => {
  for (const pair of pairs.slice(0, 3)) {
    const ground = await openGround(8, { loss: 0.2 })
    const [first, second] = await openPair(ground, pair, 3000)
    assert.ok((await ground.untilDirect(second, first, 30_000)) !== undefined)
    await ground.close()
  }
})

test('three guests behind symmetric routers reach one host at the same time', async () => {
  const ground = await openGround(9)
  const host = await ground.open(cone)
  await ground.clock.advance(3000)
  const wantsDirect = ({ record }: RemotePeer) => record.peerId === host.peer.ownId
  const guests = []
  for (let count = 0; count < 3; count += 1) guests.push(await ground.open(symmetric, { wantsDirect }))
  for (const guest of guests) assert.ok((await ground.untilDirect(guest, host, 60_000)) !== undefined)
  await ground.close()
})

test.run()
