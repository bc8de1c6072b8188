import * as assert from 'uvu/assert'
import { createPunchAttempts, type Wanted } from '#core/easytier/holePunching/punchAttempts'
import { punchKinds } from '#core/easytier/holePunching/punchPlan'
import { CallRefused } from '#core/easytier/holePunching/rpcClient'
import { createPacketBudget } from '#core/easytier/holePunching/sockets/packetBudget'
import { isPunchable } from '#core/easytier/holePunching/sockets/targets'
import { shuffledPorts } from '#core/easytier/holePunching/strategies/spraying'
import { paced } from '#core/easytier/holePunching/timing'
import { natTypeOf } from '#core/easytier/nat/natType'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { silentLog } from '#support/room/rooms'
import { suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { openGround } from './ground'

const test = suite('overlay: who punches, when and how')

const side = (peerId: number, udp: number, tcp = 0) => ({ peerId, udp: natTypeOf(udp), tcp: natTypeOf(tcp) })
const udpKind = (own: number, other: number, ids = [1, 2]) =>
  punchKinds({ ...side(ids[0] ?? 0, own), canUdp: true }, side(ids[1] ?? 0, other)).join()

test('each pair of types has one way by UDP, for one side or both', () => {
  const cones = [0, 2, 3, 4, 5]
  for (const own of cones) {
    for (const other of cones) assert.is(udpKind(own, other), 'cone')
    for (const other of [6, 7, 8, 9]) {
      assert.is(udpKind(own, other), 'cone-to-symmetric')
      assert.is(udpKind(other, own), 'symmetric-to-cone')
    }
  }
  for (const type of [...cones, 1, 6, 7, 8, 9]) {
    assert.is(udpKind(1, type), '', 'who is on the internet itself is dialled')
    assert.is(udpKind(type, 1), '')
  }
  for (const [own, other] of [
    [6, 6],
    [6, 8],
    [9, 6],
    [7, 9],
  ] as const)
    assert.is(udpKind(own, other), '')
  for (const [own, other] of [
    [8, 8],
    [8, 9],
    [9, 8],
    [9, 9],
  ] as const) {
    assert.is(udpKind(own, other), 'both-predictable')
    assert.is(udpKind(own, other, [2, 1]), '', 'the lower peer id begins')
  }
})

test('without an answer by UDP only TCP is tried; TCP needs both types, and a caller that keeps its port', () => {
  const kinds = (own: number, other: number, canUdp = false) =>
    punchKinds({ ...side(1, 0, own), canUdp }, side(2, 0, other)).join()
  assert.is(kinds(2, 3), 'tcp')
  assert.is(kinds(2, 3, true), 'cone,tcp')
  assert.is(kinds(3, 6), 'tcp', 'a symmetric one answers')
  assert.is(kinds(6, 3), '', 'and does not call')
  assert.is(kinds(0, 3), '')
  assert.is(kinds(3, 0), '')
})

test('a failed attempt comes again after 0.3 s, then after twice as long, up to 30 s; heavy ones up to 120 s', async () => {
  for (const [kind, longest] of [
    ['cone', 30_000],
    ['symmetric-to-cone', 120_000],
  ] as const) {
    const { clock, startedAt } = startAttempts(() => [wish({ kinds: [kind] })])
    await clock.advance(800_000)
    const pauses = startedAt.slice(1, 14).map((at, index) => at - (startedAt[index] ?? 0))
    const expected = Array.from({ length: 13 }, (_, index) => Math.min(longest, 300 * 2 ** index))
    assert.equal(pauses.slice(0, 11), expected.slice(0, 11))
  }
})

test('a member that serves somebody else is asked again soon, one that knows no punching hardly ever', async () => {
  for (const [text, least, most] of [
    ['sym punch lock is busy', 45, 60],
    ['unknown-service', 1, 3],
  ] as const) {
    const { clock, startedAt } = startAttempts(
      () => [wish({})],
      async () => {
        throw new CallRefused(text)
      },
    )
    await clock.advance(60_000)
    assert.ok(startedAt.length >= least && startedAt.length <= most, `${startedAt.length}`)
  }
})

test('a type that becomes known is a reason to begin at once, and from the start', async () => {
  let types = '5,0,0,0'
  const { clock, startedAt, attempts } = startAttempts(() => [wish({ types })])
  await clock.advance(60_000)
  const before = startedAt.length
  types = '5,0,5,0'
  attempts.look()
  await clock.advance(1000)
  assert.is(startedAt.length, before + 3)
})

test('one attempt for each member and way at a time; it ends with the wish, with a new network, and with the room', async () => {
  for (const end of ['unwanted', 'again', 'stop'] as const) {
    let isWanted = true
    const ended: string[] = []
    const running = { most: 0, now: 0 }
    const { clock, attempts, controller } = startAttempts(
      () => (isWanted ? [wish({ kinds: ['cone', 'tcp'] }), wish({ peerId: 3 })] : []),
      (kind, peerId, _, signal) =>
        new Promise((_resolve, reject) => {
          running.now += 1
          running.most = Math.max(running.most, running.now)
          signal.addEventListener('abort', () => {
            running.now -= 1
            ended.push(`${peerId} ${kind}`)
            reject(signal.reason)
          })
        }),
    )
    for (let look = 0; look < 20; look += 1) {
      attempts.look()
      await clock.advance(500)
    }
    assert.is(running.now, 3)
    assert.is(running.most, 3)
    if (end === 'unwanted') {
      isWanted = false
      attempts.look()
    } else if (end === 'again') attempts.again()
    else controller.abort(new Error('stopped'))
    await clock.advance(2000)
    assert.equal(ended.sort(), ['2 cone', '2 tcp', '3 cone'])
    assert.is(running.now, end === 'again' ? 3 : 0)
    assert.is(clock.timers, 0)
  }
})

test('TCP waits a second where UDP will do', async () => {
  for (const isUdpLikely of [true, false]) {
    const { clock, startedAt } = startAttempts(() => [wish({ kinds: ['tcp'], isUdpLikely })])
    await clock.advance(5)
    assert.is(startedAt.length, isUdpLikely ? 0 : 1)
    await clock.advance(995)
    assert.ok(startedAt.length > 0)
  }
})

test('one STUN server is enough for cones: a type that is not known counts as one', async () => {
  const ground = await openGround(1)
  const changes = { stunServers: ['8.8.8.8:3478'] }
  const first = await ground.open({ nat: 'cone', isCrowded: true }, changes)
  await ground.clock.advance(2000)
  const second = await ground.open({ nat: 'cone', isCrowded: true }, changes)
  const took = await ground.untilDirect(second, first, 5000)
  assert.ok(took !== undefined && took < 1500, `${took}`)
  await ground.close()
})

test('without STUN servers nothing is punched, and the ports that routers keep are still found by dialling', async () => {
  const ground = await openGround(1)
  const first = await ground.open({ nat: 'cone', isCrowded: true }, { stunServers: [] })
  const second = await ground.open({ nat: 'cone', isCrowded: true }, { stunServers: [] })
  assert.is(await ground.untilDirect(second, first, 10_000), undefined)
  assert.is([...first.sent, ...second.sent].filter(({ isPunch }) => isPunch).length, 0)
  await ground.close()
})

test('a budget fills again, forgets who is full, and refuses strangers where all places are taken', async () => {
  const clock = createFakeClock()
  const budget = createPacketBudget(clock, { perSecond: 10, burst: 20 })
  assert.is(budget.take('one', 20), true)
  assert.is(budget.take('one'), false)
  for (let key = 1; key < 512; key += 1) assert.is(budget.take(`key ${key}`), true)
  assert.is(budget.take('one more'), false)
  await clock.advance(100)
  assert.is(budget.take('one more'), true, 'the others are full again and forgotten')
  assert.is(budget.take('one', 2), false)
  await clock.advance(400)
  assert.is(budget.take('one', 5), true)
})

test('addresses are judged by what they are', () => {
  const judged = (address: string, port = 5000) => isPunchable({ address, port })
  for (const address of ['1.2.3.4', '10.0.0.1', '192.168.1.1', '223.255.255.1'])
    assert.is(judged(address), true)
  for (const address of [
    '0.1.2.3',
    '127.1.2.3',
    '169.254.9.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::1',
    'x',
  ])
    assert.is(judged(address), false, address)
  assert.is(judged('1.2.3.4', 1023), false)
  assert.is(judged('1.2.3.4', 1024), true)
  assert.is(judged('1.2.3.4', 65_536), false)
})

test('the ports to try are all of them, each once, in an order of chance', () => {
  const ports = shuffledPorts(createPrng(1).bytes)
  assert.is(new Set(ports).size, 64_512)
  assert.is(Math.min(...ports), 1024)
  assert.is(Math.max(...ports), 65_535)
  assert.not.equal(ports.slice(0, 9), shuffledPorts(createPrng(2).bytes).slice(0, 9))
})

test('a run of datagrams is spread evenly, ends after the last, and at once by the signal', async () => {
  const clock = createFakeClock()
  const controller = new AbortController()
  const at: number[] = []
  let isDone = false
  void paced(clock, { count: 100, spanMs: 1000 }, controller.signal, () => at.push(clock.now())).then(() => {
    isDone = true
  })
  await clock.advance(500)
  assert.ok(at.length >= 49 && at.length <= 52, `${at.length}`)
  await clock.advance(500)
  assert.is(isDone, true)
  assert.is(at.length, 100)
  const second = paced(clock, { count: 100, spanMs: 1000 }, controller.signal, () => at.push(clock.now()))
  controller.abort(new Error('stopped'))
  assert.is(String(await second.catch((error: unknown) => error)), 'Error: stopped')
  assert.is(clock.timers, 0)
})

test('a better way than the one that there is is looked for three times; once that one is gone, on and on', async () => {
  let one = wish({ isSpare: true, types: 'known, spare' })
  const { clock, startedAt, attempts, controller } = startAttempts(() => [one])
  await clock.advance(300_000)
  assert.is(startedAt.length, 3)
  assert.is(clock.timers, 0)
  one = wish({ isSpare: false, types: 'known' })
  attempts.look()
  await clock.advance(300_000)
  assert.ok(startedAt.length > 10, `${startedAt.length}`)
  controller.abort(new Error('stopped'))
  assert.is(clock.timers, 0)
})

function wish(changes: Partial<Wanted>): Wanted {
  return { peerId: 2, kinds: ['cone'], types: '5,0,5,0', isUdpLikely: false, isSpare: false, ...changes }
}

type Punch = Parameters<typeof createPunchAttempts>[0]['punch']

function startAttempts(wanted: () => readonly Wanted[], punch?: Punch) {
  const clock: FakeClock = createFakeClock()
  const controller = new AbortController()
  const startedAt: number[] = []
  const attempts = createPunchAttempts({
    clock,
    log: silentLog(),
    wanted,
    signal: controller.signal,
    signalFor: () => new AbortController().signal,
    async punch(kind, peerId, failures, signal) {
      startedAt.push(clock.now())
      if (punch) await punch(kind, peerId, failures, signal)
      else throw new Error('nothing came through')
    },
  })
  attempts.look()
  return { clock, startedAt, attempts, controller }
}

test.run()
