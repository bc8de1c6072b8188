import type { CallResult } from '#internal/easytier/peer/rpcCalls'
import { type RpcMethodName, rpcMethods } from '#internal/easytier/wire/messages'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#internal/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { type Ground, openGround, type Player } from './ground'

const test = suite('easytier: calls of hole punching from a member', {
  setUp: meet,
  tearDown: ({ ground }) => ground.close(),
})

const VICTIM = '30.0.0.1'
const { selectPunchListener, sendPunchPacketCone, sendPunchPacketHardSym } = rpcMethods
const { sendPunchPacketEasySym, sendPunchPacketBothEasySym } = rpcMethods
const { exchangeMappedAddr, sendUdpHolePunchPacket } = rpcMethods

/** A server behind a cone, and a member that only calls. */
async function meet(seed = 1) {
  const ground = await openGround(seed)
  const server = await ground.open({ nat: 'cone' }, { wantsDirect: () => false })
  const asker = await ground.open({ nat: 'symmetric' }, { wantsDirect: () => false })
  await ground.clock.advance(2000)
  return { ground, server, asker, ask: asking(ground, asker, server) }
}

function asking({ clock }: Ground, asker: Player, server: Player) {
  return async (
    method: RpcMethodName,
    request: Uint8Array,
    waitMs = 5000,
  ): Promise<CallResult | undefined> => {
    let result: CallResult | undefined
    asker.peer.call(server.peer.ownId, method, request, 20_000, (answer) => {
      result = answer
    })
    for (let ms = 0; ms < waitMs && !result; ms += 50) await clock.advance(50)
    return result
  }
}

function textOf(result: CallResult | undefined): string {
  if (result?.kind !== 'error') return String(result?.kind)
  const { case: kind, value } = result.error
  return String((value && 'errorMessage' in value && value.errorMessage) || kind)
}

async function listenerOf(ask: Awaited<ReturnType<typeof meet>>['ask'], forceNew = false): Promise<Endpoint> {
  const result = await ask('selectPunchListener', selectPunchListener.request.encode({ forceNew }))
  assert.ok(result?.kind === 'response', textOf(result))
  const mapped = fromSocketAddr(selectPunchListener.response.decode(result.response)?.listenerMappedAddr)
  assert.ok(mapped)
  return mapped
}

const punchesOf = ({ sent }: Player) => sent.filter(({ isPunch }) => isPunch)
const punchesTo = (player: Player, address: string) =>
  punchesOf(player).filter((one) => one.address === address)

/** @param count of the batches, and of the datagrams of each */
function coneRequest(listener: Endpoint, target: Endpoint, count = 2, packetIntervalMs = 100): Uint8Array {
  return sendPunchPacketCone.request.encode({
    listenerMappedAddr: toSocketAddr(listener),
    destAddr: toSocketAddr(target),
    transactionId: 7,
    packetCountPerBatch: count,
    packetBatchCount: count,
    packetIntervalMs,
  })
}

const TARGET = { address: VICTIM, port: 5000 }
const publicIps = [{ addr: 0x1e000001 }]
const EVER_SO_MANY_SOCKETS = sendPunchPacketBothEasySym.request.encode({
  udpSocketCount: 60_000,
  publicIp: { addr: 0x1e000001 },
  transactionId: 7,
  dstPortNum: TARGET.port,
  waitTimeMs: 4_000_000_000,
})

test('a listener is the network’s own socket at first, and a new one on request; never more than three of these', async (parts) => {
  const { ground, ask, server } = parts
  const own = await listenerOf(ask)
  assert.is(own.address, server.house.publicAddress)
  assert.equal(await listenerOf(ask), own)
  const others = new Set<number>()
  for (let count = 0; count < 8; count += 1) others.add((await listenerOf(ask, true)).port)
  assert.is(others.size, 8)
  assert.not(others.has(own.port))
  assert.match(ground.net.leaks().join('\n'), `${server.machine.address}: 4 UDP sockets`)
  await ground.clock.advance(61_000)
  assert.match(ground.net.leaks().join('\n'), `${server.machine.address}: 1 UDP sockets`)
})

test('twenty calls at once for a new listener: three sockets', async ({ ground, ask, server }) => {
  const request = selectPunchListener.request.encode({ forceNew: true })
  const asking = Array.from({ length: 20 }, () => ask('selectPunchListener', request))
  await Promise.all(asking)
  assert.match(ground.net.leaks().join('\n'), `${server.machine.address}: 4 UDP sockets`)
})

test('a listener that is not ours is refused in every method, and nothing is sent', async (parts) => {
  const { ground, ask, server } = parts
  await listenerOf(ask)
  const before = punchesOf(server).length
  const listenerMappedAddr = toSocketAddr(TARGET)
  const cases: readonly (readonly [RpcMethodName, Uint8Array])[] = [
    ['sendPunchPacketCone', coneRequest(TARGET, TARGET)],
    [
      'sendPunchPacketHardSym',
      sendPunchPacketHardSym.request.encode({ listenerMappedAddr, publicIps, round: 1 }),
    ],
    [
      'sendPunchPacketEasySym',
      sendPunchPacketEasySym.request.encode({
        listenerMappedAddr,
        publicIps,
        basePortNum: 5000,
        maxPortNum: 9,
      }),
    ],
    [
      'sendUdpHolePunchPacket',
      sendUdpHolePunchPacket.request.encode({ connectorAddr: listenerMappedAddr, listenerPort: 9 }),
    ],
  ]
  for (const [method, request] of cases)
    assert.is(textOf(await ask(method, request)), 'this is no listener of ours', method)
  await ground.clock.advance(3000)
  assert.is(punchesOf(server).length, before)
})

test('a firewall is opened to every address that a newer program names, and to each once', async (parts) => {
  const { ask, server } = parts
  const { port } = await listenerOf(ask)
  const before = punchesOf(server).length
  const connectorAddrs = [5001, 5002, 53].map((at) => toSocketAddr({ ...TARGET, port: at }))
  const connectorAddr = toSocketAddr({ ...TARGET, port: 5003 })
  await ask(
    'sendUdpHolePunchPacket',
    sendUdpHolePunchPacket.request.encode({ connectorAddr, connectorAddrs, listenerPort: port }),
  )
  const ports = punchesOf(server)
    .slice(before)
    .map(({ port }) => port)
  assert.equal(ports, [5001, 5002, 5001, 5002, 5001, 5002])
})

test('sendPunchPacketCone sends as requested, within limits, and answers after a second at most', async (parts) => {
  const { ground, ask, server } = parts
  const listener = await listenerOf(ask)
  const startedAt = ground.clock.now()
  const result = await ask('sendPunchPacketCone', coneRequest(listener, TARGET, 1000, 1))
  assert.is(result?.kind, 'response')
  assert.ok(ground.clock.now() - startedAt <= 1100)
  await ground.clock.advance(20_000)
  assert.is(punchesTo(server, VICTIM).length, 50)
})

test('sendPunchPacketHardSym serves one caller at a time, covers many ports, and continues where it ended', async (parts) => {
  const { ground, ask, server } = parts
  const listenerMappedAddr = toSocketAddr(await listenerOf(ask))
  const request = (portIndex: number) =>
    sendPunchPacketHardSym.request.encode({
      listenerMappedAddr,
      publicIps,
      transactionId: 7,
      portIndex,
      round: 1,
    })
  const first = ask('sendPunchPacketHardSym', request(100))
  await ground.clock.advance(500)
  assert.is(textOf(await ask('sendPunchPacketHardSym', request(0))), 'sym punch lock is busy')
  const answer = await first
  const next = answer?.kind === 'response' && sendPunchPacketHardSym.response.decode(answer.response)
  assert.is(next ? next.nextPortIndex : undefined, 1600)
  const ports = punchesTo(server, VICTIM).map(({ port }) => port)
  assert.equal([ports.length, new Set(ports).size], [1500, 1500])
  assert.ok(ports.every((port) => port >= 1024 && port <= 65_535))
  const again = await ask('sendPunchPacketHardSym', request(1600))
  assert.is(again?.kind, 'response')
  assert.is(new Set(punchesTo(server, VICTIM).map(({ port }) => port)).size, 3000)
})

test('whatever a member requests, an address gets 1,200 datagrams a second at most, and few after a minute', async (parts) => {
  const { ground, ask, asker, server } = parts
  const listener = await listenerOf(ask)
  const listenerMappedAddr = toSocketAddr(listener)
  const hammer = sendPunchPacketHardSym.request.encode({ listenerMappedAddr, publicIps, round: 1 })
  const call = (method: RpcMethodName, request: Uint8Array) =>
    asker.peer.call(server.peer.ownId, method, request, 1000, () => {})
  const startedAt = ground.clock.now()
  for (let at = 0; at < 600; at += 1) {
    call('sendPunchPacketHardSym', hammer)
    call('sendPunchPacketBothEasySym', EVER_SO_MANY_SOCKETS)
    call('sendPunchPacketCone', coneRequest(listener, TARGET, 9999, 1))
    await ground.clock.advance(200)
  }
  const perSecond = new Map<number, number>()
  for (const { at } of punchesTo(server, VICTIM)) {
    const second = Math.floor((at - startedAt) / 1000)
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1)
  }
  const counts = [...perSecond.values()]
  assert.ok(Math.max(...counts) <= 2400, `${Math.max(...counts)}`)
  const total = counts.reduce((sum, count) => sum + count, 0)
  assert.ok(total <= 12_000 + 50 * 121, `${total}`)
  const last = [...perSecond].filter(([second]) => second > 60).map(([, count]) => count)
  assert.ok(Math.max(...last) <= 51 * 2, last.join())
})

test('sendPunchPacketBothEasySym opens at most a hundred sockets, for nine seconds', async (parts) => {
  const { ground, ask, server } = parts
  const request = EVER_SO_MANY_SOCKETS
  const result = await ask('sendPunchPacketBothEasySym', request)
  assert.is(result?.kind, 'response')
  assert.match(ground.net.leaks().join('\n'), `${server.machine.address}: 101 UDP sockets`)
  const busy = await ask('sendPunchPacketBothEasySym', request)
  assert.ok(busy?.kind === 'response')
  assert.is(sendPunchPacketBothEasySym.response.decode(busy.response)?.isBusy, true)
  await ground.clock.advance(9100)
  assert.match(ground.net.leaks().join('\n'), `${server.machine.address}: 1 UDP sockets`)
})

test('damaged requests, and too many of them, get errors', async ({ ask }) => {
  assert.is(textOf(await ask('sendPunchPacketCone', Uint8Array.of(0xff, 0xff))), 'the request cannot be read')
  assert.is(textOf(await ask('sendPunchPacketCone', new Uint8Array(0))), 'no address that can be punched')
  const toOurselves = coneRequest(await listenerOf(ask), { address: '127.0.0.1', port: 5000 })
  assert.is(textOf(await ask('sendPunchPacketCone', toOurselves)), 'no address that can be punched')
  const nowhere = exchangeMappedAddr.request.encode({})
  assert.is(textOf(await ask('exchangeMappedAddr', nowhere)), 'no address that can be punched')
  const texts: string[] = []
  for (let count = 0; count < 60; count += 1)
    texts.push(textOf(await ask('sendPunchPacketCone', new Uint8Array(0), 200)))
  assert.ok(texts.includes('too many calls'))
})

test('the text of an error of this machine reaches the log, and never the caller', async (parts) => {
  const { ask, server } = parts
  const { transports } = server.machine
  const openUdp = transports.openUdp
  Object.assign(transports, {
    async openUdp() {
      throw new Error('EMFILE: /home/alice/secret')
    },
  })
  const result = await ask('selectPunchListener', selectPunchListener.request.encode({ forceNew: true }))
  assert.is(textOf(result), 'the call failed')
  assert.match(server.messages.join('\n'), 'EMFILE: /home/alice/secret')
  Object.assign(transports, { openUdp })
})

test('TCP connections for others are few', async ({ ask }) => {
  const request = exchangeMappedAddr.request.encode({ connectorMappedAddr: toSocketAddr(TARGET) })
  const kinds: string[] = []
  for (let count = 0; count < 10; count += 1) kinds.push(textOf(await ask('exchangeMappedAddr', request)))
  assert.is(kinds.filter((kind) => kind === 'response').length, 5)
})

test('a network without direct connections knows none of these calls', async () => {
  const ground = await openGround(1)
  const server = await ground.open({ nat: 'cone' }, { isDirect: false })
  const asker = await ground.open({ nat: 'cone' })
  await ground.clock.advance(3000)
  const ask = asking(ground, asker, server)
  for (const method of ['selectPunchListener', 'exchangeMappedAddr', 'sendUdpHolePunchPacket'] as const)
    assert.is(textOf(await ask(method, new Uint8Array(0))), 'invalidService')
  await ground.clock.advance(10_000)
  assert.equal([server.sent, punchesOf(asker)], [[], []])
  assert.is(ground.pathOf(asker, server)?.kind, 'relay')
  await ground.close()
})

test.run()
