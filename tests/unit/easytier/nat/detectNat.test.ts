import { detectTcpNat, detectUdpNat, stunServers } from '#core/easytier/nat/detectNat'
import { natTypes } from '#core/easytier/nat/natType'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import type { NatKind } from '#support/virtualNet/virtualNet'
import { createTestNet } from '../testNet'

const test = suite('easytier: detection by STUN servers', {
  setUp: () => openMachine('cone'),
  tearDown: ({ close }) => close(),
})

const SERVERS = [
  { address: '8.8.8.1', port: 3478 },
  { address: '8.8.8.2', port: 3478 },
]

async function openMachine(nat: NatKind) {
  const { clock, random, net, atEnd, close } = createTestNet()
  for (const { address } of SERVERS) net.machine(address).serveStun()
  const machine = net.house({ publicAddress: '20.0.0.1', nat }).machine()
  const options = { transports: machine.transports, clock, randomBytes: random.bytes }
  const udp = createUdpTransport({ ...options, socket: await machine.transports.openUdp(0) })
  /** The result after so long; undefined while there is none. */
  const after = async <T>(ms: number, work: Promise<T>): Promise<T | undefined> => {
    const isOver = hasResolved(work)
    await clock.advance(ms)
    return isOver() ? work : undefined
  }
  atEnd(udp.close)
  return { options, udp, after, close: () => close(0) }
}

const { signal } = new AbortController()

test('two answers tell the UDP type and the public address', async () => {
  for (const [nat, type] of [
    ['cone', natTypes.portRestricted],
    ['symmetric', natTypes.symmetric],
  ] as const) {
    const { options, udp, after, close } = await openMachine(nat)
    const found = await after(5000, detectUdpNat(udp, SERVERS, options, signal))
    assert.equal([found?.type, found?.mapped?.address], [type, '20.0.0.1'])
    assert.equal(found?.addresses, ['20.0.0.1'])
    await close()
  }
})

test('one answer tells the address and no type; none tells nothing', async ({ options, udp, after }) => {
  const one = await after(5000, detectUdpNat(udp, SERVERS.slice(0, 1), options, signal))
  assert.equal([one?.type, one?.mapped?.address], [natTypes.unknown, '20.0.0.1'])
  const silent = [{ address: '8.8.8.9', port: 3478 }]
  assert.equal(await after(1199, detectUdpNat(udp, silent, options, signal)), undefined)
  assert.equal(await after(1200, detectUdpNat(udp, silent, options, signal)), {
    type: natTypes.unknown,
    mapped: undefined,
    addresses: [],
  })
})

test('TCP is detected from one local port by two servers', async ({ options, after }) => {
  const found = await after(10_000, detectTcpNat(SERVERS, 30_000, options, signal))
  assert.is(found?.type, natTypes.noPat)
  assert.equal(found?.mapped, { address: '20.0.0.1', port: 30_000 })
  const one = await after(10_000, detectTcpNat(SERVERS.slice(0, 1), 30_001, options, signal))
  assert.is(one?.type, natTypes.unknown)
})

test('an abort ends the detection without an answer', async ({ options, udp, after }) => {
  const stopped = AbortSignal.abort(new Error('stopped'))
  const byUdp = await after(0, detectUdpNat(udp, SERVERS, options, stopped))
  const byTcp = await after(0, detectTcpNat(SERVERS, 30_000, options, stopped))
  assert.equal([byUdp?.type, byTcp?.type], [natTypes.unknown, natTypes.unknown])
})

test('STUN servers are the UDP nodes and the configured ones: IPv4, each once, four at most', async (parts) => {
  const { options, after } = parts
  const others = ['1.1.1.1:1', '1.1.1.2:2', '1.1.1.3:3']
  const configured = ['8.8.8.1:3478', '8.8.8.1:3478', '[2001:db8::1]:3478', ...others]
  const nodes = ['tcp://9.9.9.9:11010', 'udp://9.9.9.9:11011', 'nonsense']
  assert.equal(await after(100, stunServers(configured, nodes, options, signal)), [
    { address: '9.9.9.9', port: 11_011 },
    { address: '8.8.8.1', port: 3478 },
    { address: '1.1.1.1', port: 1 },
    { address: '1.1.1.2', port: 2 },
  ])
  assert.equal(await after(100, stunServers(configured, nodes, options, signal, 'ipv6')), [
    { address: '2001:db8::1', port: 3478 },
  ])
})

test.run()
