import {
  punchPredictable,
  punchTowardsSymmetric,
} from '#core/easytier/holePunching/strategies/punchTowardsSymmetric'
import { UNKNOWN_NAT } from '#core/easytier/nat/natObserver'
import { type NatType, natTypes } from '#core/easytier/nat/natType'
import { rpcMethods } from '#core/easytier/wire/messages'
import { toSocketAddr } from '#core/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { createPunchParts, failureOf } from './punchParts'

const test = suite('easytier: punching towards a symmetric router')

const MEMBER = 7
const BASE = { address: '30.0.0.1', port: 50_000 }
const { request, response } = rpcMethods.sendPunchPacketBothEasySym
const { symmetricEasyIncreasing: increasing, symmetricEasyDecreasing: decreasing } = natTypes

const answerWith = (fields: Parameters<typeof response.encode>[0]) => async () => response.encode(fields)
const predictable =
  (other: NatType): typeof punchTowardsSymmetric =>
  (context, peerId, signal) =>
    punchPredictable(context, peerId, other, signal)

/** Punches towards a member, which names its base unless the test says something else. */
function punch(options: Parameters<typeof createPunchParts>[0] = {}, work = punchTowardsSymmetric) {
  const answer = answerWith({ baseMappedAddr: toSocketAddr(BASE) })
  const parts = createPunchParts({ answer, ...options })
  return { ...parts, failure: failureOf(work(parts.context, MEMBER, parts.signal)) }
}

test('asks for 84 sockets towards a new socket of ours', async () => {
  const { clock, calls } = punch()
  await clock.advance(0)
  const asked = calls[0] && request.decode(calls[0].request)
  assert.equal([asked?.udpSocketCount, asked?.publicIp?.addr], [84, 0x14000001])
  assert.equal([asked?.dstPortNum, asked?.transactionId, asked?.waitTimeMs], [40_001, 1, 8000])
})

test('tries 500 ports a second, 4,000 at most, and gives up after 8 s', async () => {
  const { clock, datagrams, openPorts, failure } = punch()
  await clock.advance(0)
  assert.is(datagrams.length, 5)
  await clock.advance(990)
  assert.is(datagrams.length, 500)
  await clock.advance(7009)
  assert.equal([datagrams.length, failure.text], [4000, undefined])
  await clock.advance(1)
  assert.equal([failure.text, openPorts(), clock.timers], ['Error: no datagram came through', [], 0])
  assert.ok(datagrams.every(({ port, id, member }) => port === 1 && id === 1 && member === MEMBER))
})

test('the ports are those from 1,024 to 65,535 of the member’s address', async () => {
  for (const [random, port] of [
    [0, 1024],
    [0xff, 65_535],
  ] as const) {
    const { clock, datagrams, controller } = punch({ random })
    await clock.advance(0)
    assert.equal(datagrams[0]?.to, { address: BASE.address, port })
    controller.abort(new Error('stopped'))
  }
})

test('connects to the sender of a datagram, which it answers every 100 ms meanwhile', async () => {
  const { clock, controller, datagrams, dialled, attached, openPorts, receive, failure } = punch()
  await clock.advance(5)
  const from = { address: BASE.address, port: 51_234 }
  receive(1, 2, { ...from, port: 1 })
  receive(1, 1, from)
  const sent = datagrams.length
  await clock.advance(200)
  assert.equal(dialled, [{ ...from, from: 1 }])
  assert.equal(attached, [{ isDialler: true, expectPeer: MEMBER, isPunched: true }])
  const later = datagrams.slice(sent).map(({ at, to }) => ({ at, to }))
  assert.equal(later, [
    { at: 5, to: from },
    { at: 105, to: from },
    { at: 205, to: from },
  ])
  controller.abort(new Error('connected'))
  await clock.advance(0)
  assert.equal([failure.text, openPorts(), clock.timers], ['Error: connected', [], 0])
})

test('a member that is busy or names no address that can be punched ends it', async () => {
  for (const [base, isBusy, text] of [
    [BASE, true, 'Error: the member is busy'],
    [undefined, false, 'Error: no address that can be punched'],
    [{ address: '127.0.0.1', port: 50_000 }, false, 'Error: no address that can be punched'],
  ] as const) {
    const answer = answerWith({ isBusy, ...(base && { baseMappedAddr: toSocketAddr(base) }) })
    const { clock, datagrams, openPorts, failure } = punch({ answer })
    await clock.advance(0)
    assert.equal([failure.text, datagrams, openPorts(), clock.timers], [text, [], [], 0])
  }
})

for (const [own, other, sendTo, far] of [
  [increasing, increasing, 40_021, 50_020],
  [increasing, decreasing, 40_021, 49_980],
  [decreasing, increasing, 39_981, 50_020],
  [decreasing, decreasing, 39_981, 49_980],
] as const satisfies readonly (readonly [NatType, NatType, number, number])[]) {
  test(`routers of types ${own} and ${other}: 25 sockets send to port ${far}`, async () => {
    const { clock, calls, datagrams, openPorts, failure } = punch(
      { changes: { natInfo: () => ({ ...UNKNOWN_NAT, udp: own }) } },
      predictable(other),
    )
    await clock.advance(100)
    const asked = calls[0] && request.decode(calls[0].request)
    assert.equal([asked?.udpSocketCount, asked?.dstPortNum, asked?.waitTimeMs], [25, sendTo, 5000])
    assert.equal(
      datagrams.slice(25).map(({ at, port, to }) => ({ at, port, to })),
      Array.from({ length: 25 }, (_, at) => ({ at: 100, port: at + 2, to: { ...BASE, port: far } })),
    )
    await clock.advance(5900)
    assert.is(failure.text, 'Error: no datagram came through')
    assert.equal([openPorts(), clock.timers], [[], 0])
  })
}

test('of two predictable routers, only the socket that received a datagram stays open', async () => {
  const { clock, controller, dialled, openPorts, receive } = punch({}, predictable(increasing))
  await clock.advance(50)
  receive(5, 1, BASE)
  await clock.advance(0)
  assert.equal([openPorts(), dialled], [[5], [{ ...BASE, from: 5 }]])
  controller.abort()
  await clock.advance(0)
  assert.equal([openPorts(), clock.timers], [[], 0])
})

test.run()
