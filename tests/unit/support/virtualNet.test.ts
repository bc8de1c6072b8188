import { detectTcpNat, detectUdpNat } from '#core/easytier/nat/detectNat'
import { natTypes } from '#core/easytier/nat/natType'
import type { Connection } from '#core/easytier/transport/transports'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import type { Endpoint } from '#core/easytier/wire/socketAddress'
import { createFakeClock, type FakeClock, settled } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { createPrng } from '#support/values/prng'
import {
  createVirtualNet,
  type LineSettings,
  type NatKind,
  type VirtualHouse,
  type VirtualMachine,
  type VirtualNet,
} from '#support/virtualNet/virtualNet'

const test = suite('the virtual network')
const STUN = [
  { address: '8.8.8.8', port: 3478 },
  { address: '8.8.4.4', port: 3478 },
]
const never = new AbortController().signal
const packet = Uint8Array.of(1, 2, 3)

for (const [nat, udp, tcp] of [
  ['cone', natTypes.portRestricted, natTypes.noPat],
  ['symmetric', natTypes.symmetric, natTypes.symmetric],
  ['open', natTypes.openInternet, natTypes.noPat],
] as const) {
  test(`shows STUN servers a house that is ${nat} as such`, async () => {
    const { clock, net, prng } = newNet()
    const machine = houseOf(net, nat, '20.0.0.21').machine()
    const tools = { transports: machine.transports, clock, randomBytes: prng.bytes }
    const endpoint = createUdpTransport({ ...tools, socket: await machine.transports.openUdp(5000) })
    const [byUdp, byTcp] = await settled(
      clock,
      Promise.all([detectUdpNat(endpoint, STUN, tools, never), detectTcpNat(STUN, 5000, tools, never)]),
    )
    assert.equal([byUdp.type, byTcp.type], [udp, tcp])
    assert.is(byUdp.mapped?.address, '20.0.0.21')
    endpoint.close()
    assert.equal(net.leaks(), [])
    await clock.advance(2000)
    assert.is(clock.timers, 0)
  })
}

test('lets a datagram into a house only from where one was sent to', async () => {
  const { clock, net } = newNet()
  const inside = houseOf(net, 'cone', '20.0.0.21').machine()
  const [friend, stranger] = [net.machine('30.0.0.1'), net.machine('30.0.0.2')]
  const heard: string[] = []
  const own = await inside.transports.openUdp(7000)
  own.onDatagram((_, from) => heard.push(`${from.address}:${from.port}`))
  const theirs = await friend.transports.openUdp(9)
  const others = [await friend.transports.openUdp(10), await stranger.transports.openUdp(9)]
  const door = { address: '20.0.0.21', port: 7000 }
  theirs.send(packet, door)
  await clock.advance(50)
  own.send(packet, { address: '30.0.0.1', port: 9 })
  await clock.advance(50)
  for (const socket of [theirs, ...others]) socket.send(packet, door)
  await clock.advance(50)
  assert.equal(heard, ['30.0.0.1:9'])
})

test('keeps machines of one house apart from those of another with the same addresses', async () => {
  const { clock, net } = newNet()
  const first = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const second = net.house({ publicAddress: '20.0.0.2', nat: 'cone' })
  const [one, brother, other] = [
    first.machine('192.168.0.2'),
    first.machine('192.168.0.3'),
    second.machine('192.168.0.3'),
  ]
  const heard: string[] = []
  for (const [name, machine] of [
    ['brother', brother],
    ['other', other],
  ] as const)
    (await machine.transports.openUdp(5)).onDatagram((_, from) => heard.push(`${name} ${from.address}`))
  ;(await one.transports.openUdp(5)).send(packet, { address: '192.168.0.3', port: 5 })
  await clock.advance(50)
  assert.equal(heard, ['brother 192.168.0.2'])
})

test('lets no datagram out of a house that blocks UDP, and TCP all the same', async () => {
  const { clock, net } = newNet()
  const machine = net.house({ publicAddress: '20.0.0.1', nat: 'cone', blocksUdp: true }).machine()
  const server = net.machine('30.0.0.1')
  let heard = 0
  ;(await server.transports.openUdp(5)).onDatagram(() => {
    heard += 1
  })
  ;(await machine.transports.openUdp(5)).send(packet, { address: '30.0.0.1', port: 5 })
  await server.transports.listenTcp(80, () => {}, never)
  const link = await settled(clock, machine.transports.dialTcp({ address: '30.0.0.1', port: 80 }, never))
  assert.is(heard, 0)
  assert.is(link.remote.port, 80)
})

test('connects TCP through two cone routers when both sides dial from known ports', async () => {
  const { clock, net } = newNet()
  const links = await settled(clock, punch(net, 'cone', 'cone'))
  const heard: number[] = []
  links[1]?.onPacket((bytes) => heard.push(bytes.length))
  links[0]?.send(packet)
  await clock.advance(50)
  assert.equal(heard, [3])
  links[0]?.close()
  await clock.advance(50)
  assert.equal(net.leaks(), [])
})

test('does not connect TCP to a symmetric router that way', async () => {
  const { clock, net } = newNet()
  const limit = new AbortController()
  clock.after(8000, () => limit.abort(new Error('the time is over')))
  const results = Promise.allSettled(dials(net, 'cone', 'symmetric', limit.signal))
  await clock.advance(9000)
  assert.equal(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.is(clock.timers, 0)
})

test('refuses a machine that dials itself from the port that it dials, and leaves nothing open', async () => {
  const { clock, net } = newNet()
  const inside = houseOf(net, 'cone', '20.0.0.21').machine()
  const to = { address: inside.address, port: 4000 }
  const dialled = inside.transports.dialTcp(to, never, { localPort: 4000 })
  const problem = await settled(clock, dialled).then(() => undefined, String)
  assert.match(problem ?? '', /refused/)
  assert.equal(net.leaks(), [])
})

test('leaves connections hanging after a router was restarted, and tells nobody', async () => {
  const { clock, net } = newNet()
  const house = net.house({ publicAddress: '20.0.0.1', nat: 'cone' })
  const { near, far } = await connected(clock, house.machine(), net.machine('30.0.0.1'))
  let heard = 0
  far.onPacket(() => {
    heard += 1
  })
  near.send(packet)
  await clock.advance(50)
  house.restart()
  near.send(packet)
  await clock.advance(60_000)
  assert.is(heard, 1)
  assert.is(net.leaks().length, 3)
  near.close()
  far.close()
})

test('closes the connections of a program that was killed, and silences it', async () => {
  const { clock, net } = newNet()
  const machine = net.machine('30.0.0.2')
  const { transports } = machine
  const udp = await transports.openUdp(5)
  const { far } = await connected(clock, machine, net.machine('30.0.0.1'))
  const isClosed = hasResolved(far.closed)
  machine.kill()
  await clock.advance(50)
  assert.ok(isClosed())
  let heard = 0
  ;(await net.machine('30.0.0.3').transports.openUdp(5)).onDatagram(() => {
    heard += 1
  })
  udp.send(packet, { address: '30.0.0.3', port: 5 })
  await clock.advance(50)
  assert.is(heard, 0)
  assert.is.not(machine.transports, transports)
})

for (const [what, cut, heal] of [
  ['a cable', (one: VirtualMachine) => one.setOnline(false), (one: VirtualMachine) => one.setOnline(true)],
  ['a line', (one: VirtualMachine) => set(one.line, true), (one: VirtualMachine) => set(one.line, false)],
] as const) {
  test(`holds TCP back in order while ${what} is cut, and loses UDP`, async () => {
    const { clock, net } = newNet()
    const [one, other] = [net.machine('30.0.0.1'), net.machine('30.0.0.2')]
    const { near, far } = await connected(clock, one, other)
    const heard: number[] = []
    far.onPacket(([first]) => heard.push(first ?? -1))
    ;(await other.transports.openUdp(5)).onDatagram(() => heard.push(100))
    const udp = await one.transports.openUdp(5)
    cut(one)
    for (let count = 0; count < 5; count += 1) near.send(Uint8Array.of(count))
    udp.send(packet, { address: '30.0.0.2', port: 5 })
    await clock.advance(10_000)
    assert.equal(heard, [])
    heal(one)
    await clock.advance(1000)
    assert.equal(heard, [0, 1, 2, 3, 4])
  })
}

test('repeats itself, loss and reordering included, with the same seed', async () => {
  const run = async (seed: number) => {
    const { clock, net } = newNet(seed, { loss: 0.2, duplication: 0.1, jitterMs: 30 })
    const heard: string[] = []
    ;(await net.machine('30.0.0.2').transports.openUdp(5)).onDatagram(([first]) =>
      heard.push(`${first} ${clock.now()}`),
    )
    const udp = await net.machine('30.0.0.1').transports.openUdp(5)
    for (let count = 0; count < 50; count += 1)
      udp.send(Uint8Array.of(count), { address: '30.0.0.2', port: 5 })
    await clock.advance(100)
    return heard
  }
  const [first, again, other] = [await run(1), await run(1), await run(2)]
  assert.equal(first, again)
  assert.not.equal(first, other)
  assert.ok(first.length < 60 && first.length > 30)
})

function newNet(seed = 1, line: LineSettings = {}) {
  const clock = createFakeClock()
  const prng = createPrng(seed)
  const net = createVirtualNet({ clock, random: prng.next, delayMs: 10, ...line })
  for (const { address } of STUN) net.machine(address).serveStun()
  return { clock, net, prng }
}

function houseOf(net: VirtualNet, nat: NatKind, publicAddress: string): VirtualHouse {
  return net.house({ publicAddress, nat })
}

async function connected(clock: FakeClock, one: VirtualMachine, other: VirtualMachine) {
  let far: Connection | undefined
  await other.transports.listenTcp(
    80,
    (link) => {
      far = link
    },
    never,
  )
  const near = await settled(clock, one.transports.dialTcp({ address: other.address, port: 80 }, never))
  if (!far) throw new Error('nobody took it')
  return { near, far }
}

function punch(net: VirtualNet, one: NatKind, other: NatKind): Promise<Connection[]> {
  return Promise.all(dials(net, one, other, never))
}

/** Both ask as whom they are seen, and dial each other there. */
function dials(net: VirtualNet, one: NatKind, other: NatKind, signal: AbortSignal): Promise<Connection>[] {
  const machines = [houseOf(net, one, '20.0.0.1').machine(), houseOf(net, other, '20.0.0.2').machine()]
  const seen = machines.map(({ transports }) => transports.stunTcp(STUN[0] as Endpoint, 4000, never))
  return machines.map(async ({ transports }, index) =>
    transports.dialTcp((await seen[1 - index]) as Endpoint, signal, { localPort: 4000 }),
  )
}

function set(line: LineSettings, isCut: boolean): void {
  line.isCut = isCut
}

test.run()
