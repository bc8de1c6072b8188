import {
  punchPredictable,
  punchTowardsSymmetric,
} from '#core/easytier/holePunching/strategies/punchTowardsSymmetric'
import { UNKNOWN_NAT } from '#core/easytier/nat/natObserver'
import { type NatType, natTypes } from '#core/easytier/nat/natType'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { createPunchParts, failureOf } from './punchParts'

const test = suite('easytier: punching towards a symmetric router')

const MEMBER = 7
const BASE = { address: '30.0.0.1', port: 50_000 }
const { sendPunchPacketBothEasySym } = rpcMethods
const { symmetricEasyIncreasing: increasing, symmetricEasyDecreasing: decreasing } = natTypes

const answerWith =
  (base: Endpoint | undefined, isBusy = false) =>
  async () =>
    sendPunchPacketBothEasySym.response.encode({
      isBusy,
      ...(base ? { baseMappedAddr: toSocketAddr(base) } : {}),
    })

test('asks for 84 sockets towards a new socket of ours', async () => {
  const { clock, context, calls, signal } = createPunchParts({ answer: answerWith(BASE) })
  failureOf(punchTowardsSymmetric(context, MEMBER, signal))
  await clock.advance(0)
  const request = calls[0] && sendPunchPacketBothEasySym.request.decode(calls[0].request)
  assert.equal([request?.udpSocketCount, request?.publicIp?.addr], [84, 0x14000001])
  assert.equal([request?.dstPortNum, request?.transactionId, request?.waitTimeMs], [40_001, 1, 8000])
})

test('tries 500 ports a second, 4,000 at most, and gives up after 8 s', async () => {
  const { clock, context, datagrams, openPorts, signal } = createPunchParts({ answer: answerWith(BASE) })
  const failure = failureOf(punchTowardsSymmetric(context, MEMBER, signal))
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
    const { clock, context, datagrams, controller } = createPunchParts({ answer: answerWith(BASE), random })
    failureOf(punchTowardsSymmetric(context, MEMBER, controller.signal))
    await clock.advance(0)
    assert.equal(datagrams[0]?.to, { address: BASE.address, port })
    controller.abort(new Error('stopped'))
  }
})

test('connects to the sender of a datagram, which it answers every 100 ms meanwhile', async () => {
  const { clock, context, controller, datagrams, dialled, attached, openPorts, receive } = createPunchParts({
    answer: answerWith(BASE),
  })
  const failure = failureOf(punchTowardsSymmetric(context, MEMBER, controller.signal))
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
    const { clock, context, datagrams, openPorts, signal } = createPunchParts({
      answer: answerWith(base, isBusy),
    })
    const failure = failureOf(punchTowardsSymmetric(context, MEMBER, signal))
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
    const { clock, context, calls, datagrams, openPorts, signal } = createPunchParts({
      answer: answerWith(BASE),
      changes: { natInfo: () => ({ ...UNKNOWN_NAT, udp: own }) },
    })
    const failure = failureOf(punchPredictable(context, MEMBER, other, signal))
    await clock.advance(100)
    const request = calls[0] && sendPunchPacketBothEasySym.request.decode(calls[0].request)
    assert.equal([request?.udpSocketCount, request?.dstPortNum, request?.waitTimeMs], [25, sendTo, 5000])
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
  const { clock, context, controller, dialled, openPorts, receive } = createPunchParts({
    answer: answerWith(BASE),
  })
  failureOf(punchPredictable(context, MEMBER, increasing, controller.signal))
  await clock.advance(50)
  receive(5, 1, BASE)
  await clock.advance(0)
  assert.equal([openPorts(), dialled], [[5], [{ ...BASE, from: 5 }]])
  controller.abort()
  await clock.advance(0)
  assert.equal([openPorts(), clock.timers], [[], 0])
})
