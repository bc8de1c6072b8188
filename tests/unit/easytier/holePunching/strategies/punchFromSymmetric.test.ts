import { punchFromSymmetric } from '#core/easytier/holePunching/strategies/punchFromSymmetric'
import { CallRefused } from '#core/easytier/holePunching/strategies/rpcClient'
import { UNKNOWN_NAT } from '#core/easytier/nat/natObserver'
import { natTypes } from '#core/easytier/nat/natType'
import { rpcMethods } from '#core/easytier/wire/messages'
import { fromSocketAddr, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { type Answer, createPunchParts, failureOf } from './punchParts'

const test = suite('easytier: punching from behind a symmetric router')

const MEMBER = 7
const LISTENER = { address: '30.0.0.1', port: 50_000 }
const { selectPunchListener, sendPunchPacketHardSym, sendPunchPacketEasySym } = rpcMethods

/** Punches towards a member with a listener; the test answers its runs. */
function punch(answerRun: Answer, { failures = 0, changes = {} } = {}) {
  const listenerMappedAddr = toSocketAddr(LISTENER)
  const parts = createPunchParts({
    changes,
    answer: async (call) =>
      call.method === 'selectPunchListener'
        ? selectPunchListener.response.encode({ listenerMappedAddr })
        : answerRun(call),
  })
  const runs = () =>
    parts.calls.flatMap(({ at, method, request }) => {
      if (method !== 'sendPunchPacketHardSym') return []
      const run = sendPunchPacketHardSym.request.decode(request)
      return [{ at, portIndex: run?.portIndex, round: run?.round }]
    })
  const failure = failureOf(punchFromSymmetric(parts.context, MEMBER, failures, parts.signal))
  return { ...parts, runs, failure }
}

const never = () => new Promise<never>(() => {})
const refuseBy = (text: string) => () => Promise.reject(new CallRefused(text))

test('asks for four runs, each from where the last has ended, and gives up 1 s later', async () => {
  let index = 0
  const { clock, runs, openPorts, failure } = punch(async () => {
    index += 700
    return sendPunchPacketHardSym.response.encode({ nextPortIndex: index })
  })
  await clock.advance(999)
  const expected = [0, 700, 1400, 2100].map((portIndex) => ({ at: 0, portIndex, round: 1 }))
  assert.equal(runs(), expected)
  assert.equal([failure.text, openPorts().length], [undefined, 84])
  await clock.advance(1)
  assert.equal([failure.text, openPorts(), clock.timers], ['Error: no port was hit', [], 0])
})

test('a run whose answer is lost counts for 800 ports', async () => {
  const { clock, runs } = punch(() => Promise.reject(new Error('no answer')))
  await clock.advance(0)
  assert.equal(each(runs(), 'portIndex'), [0, 800, 1600, 2400])
  await clock.advance(1000)
})

test('84 sockets send to the listener every 500 ms', async () => {
  const { clock, controller, datagrams } = punch(never)
  await clock.advance(500)
  const sentAt = [0, 500].flatMap((at) =>
    Array.from({ length: 84 }, (_, of) => ({ at, port: of + 1, id: 1, to: LISTENER, member: MEMBER })),
  )
  assert.equal(datagrams, sentAt)
  controller.abort()
})

test('another listener is requested after a failure', async () => {
  for (const [failures, isNew] of [
    [0, false],
    [1, true],
  ] as const) {
    const { clock, calls, controller } = punch(never, { failures })
    await clock.advance(0)
    assert.is(calls[0] && selectPunchListener.request.decode(calls[0].request)?.forceNew, isNew)
    controller.abort()
  }
})

test('a busy member is asked again after 300 ms, 20 times', async () => {
  const { clock, runs, openPorts, failure } = punch(refuseBy('the lock is busy'))
  await clock.advance(5999)
  assert.equal([runs().length, failure.text], [20, undefined])
  await clock.advance(1)
  const expected = Array.from({ length: 21 }, (_, at) => ({ at: at * 300, portIndex: 0, round: 1 }))
  assert.equal(runs(), expected)
  assert.equal([failure.text, openPorts(), clock.timers], ['Error: the member stays busy', [], 0])
})

test('any other refusal ends it', async () => {
  const { clock, runs, openPorts, failure } = punch(refuseBy('no'))
  await clock.advance(0)
  assert.equal([runs().length, failure.text, openPorts(), clock.timers], [1, 'Error: no', [], 0])
})

for (const [type, isIncremental] of [
  [natTypes.symmetricEasyIncreasing, true],
  [natTypes.symmetricEasyDecreasing, false],
] as const) {
  test(`a router of type ${type} has the 50 ports beside its last one tried first`, async () => {
    const natInfo = () => ({ ...UNKNOWN_NAT, udp: type, addresses: ['20.0.0.1', '2001:db8::1'] })
    const { clock, calls, controller } = punch(never, { changes: { natInfo } })
    await clock.advance(0)
    assert.equal(each(calls, 'method'), ['selectPunchListener', 'sendPunchPacketEasySym'])
    const request = calls[1] && sendPunchPacketEasySym.request.decode(calls[1].request)
    assert.equal([request?.basePortNum, request?.maxPortNum], [40_001, 50])
    assert.equal([request?.isIncremental, request?.transactionId], [isIncremental, 1])
    assert.equal(fromSocketAddr(request?.listenerMappedAddr), LISTENER)
    const addresses = request?.publicIps.map(({ addr }) => addr)
    assert.equal(addresses, [0x14000001])
    controller.abort()
  })
}

test('connects through the socket that was hit, and closes the others', async () => {
  const parts = punch(never)
  const { clock, controller, attached, dialled, openPorts, receive, failure } = parts
  await clock.advance(700)
  receive(30, 1, LISTENER)
  await clock.advance(0)
  assert.equal([openPorts(), dialled], [[30], [{ ...LISTENER, from: 30 }]])
  assert.equal(attached, [{ isDialler: true, expectPeer: MEMBER, isPunched: true }])
  controller.abort(new Error('connected'))
  await clock.advance(0)
  assert.equal([failure.text, openPorts(), clock.timers], ['Error: connected', [], 0])
})

test.run()
