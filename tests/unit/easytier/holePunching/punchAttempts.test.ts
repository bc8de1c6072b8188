import { createPunchAttempts, type PunchTarget } from '#core/easytier/holePunching/punchAttempts'
import { CallRefused } from '#core/easytier/holePunching/strategies/rpcClient'
import { createFakeClock, type FakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('easytier: attempts to reach members')

test('a failed attempt is repeated after 0.3 s, then after twice as long, up to 30 s; heavy ones up to 120 s', async () => {
  for (const [strategy, longest] of [
    ['cone', 30_000],
    ['symmetric-to-cone', 120_000],
  ] as const) {
    const { clock, startedAt } = startAttempts(() => [target({ strategies: [strategy] })])
    await clock.advance(800_000)
    const pauses = startedAt.slice(1, 14).map((at, index) => at - (startedAt[index] ?? 0))
    const expected = Array.from({ length: 13 }, (_, index) => Math.min(longest, 300 * 2 ** index))
    assert.equal(pauses.slice(0, 11), expected.slice(0, 11))
  }
})

test('a busy member is asked again soon, one that does not know the call hardly ever', async () => {
  for (const [text, least, most] of [
    ['sym punch lock is busy', 45, 60],
    ['unknown-service', 1, 3],
  ] as const) {
    const { clock, startedAt } = startAttempts(
      () => [target({})],
      async () => {
        throw new CallRefused(text)
      },
    )
    await clock.advance(60_000)
    assert.ok(startedAt.length >= least && startedAt.length <= most, `${startedAt.length}`)
  }
})

test('a NAT type that becomes known starts the attempts over at once', async () => {
  let natTypes = '5,0,0,0'
  const { clock, startedAt, attempts } = startAttempts(() => [target({ natTypes })])
  await clock.advance(60_000)
  const before = startedAt.length
  natTypes = '5,0,5,0'
  attempts.update()
  await clock.advance(1000)
  assert.is(startedAt.length, before + 3)
})

test('one attempt for each member and strategy at a time; it ends when it is unwanted, with a new network, and with the signal', async () => {
  for (const end of ['unwanted', 'restart', 'stop'] as const) {
    let isPunchTarget = true
    const ended: string[] = []
    const running = { most: 0, now: 0 }
    const { clock, attempts, controller } = startAttempts(
      () => (isPunchTarget ? [target({ strategies: ['cone', 'tcp'] }), target({ peerId: 3 })] : []),
      (strategy, peerId, _, signal) =>
        new Promise((_resolve, reject) => {
          running.now += 1
          running.most = Math.max(running.most, running.now)
          signal.addEventListener('abort', () => {
            running.now -= 1
            ended.push(`${peerId} ${strategy}`)
            reject(signal.reason)
          })
        }),
    )
    for (let count = 0; count < 20; count += 1) {
      attempts.update()
      await clock.advance(500)
    }
    assert.equal([running.now, running.most], [3, 3])
    if (end === 'unwanted') {
      isPunchTarget = false
      attempts.update()
    } else if (end === 'restart') attempts.restart()
    else controller.abort(new Error('stopped'))
    await clock.advance(2000)
    assert.equal(ended.sort(), ['2 cone', '2 tcp', '3 cone'])
    assert.is(running.now, end === 'restart' ? 3 : 0)
    assert.is(clock.timers, 0)
  }
})

test('TCP waits a second where UDP is likely to succeed', async () => {
  for (const isUdpLikely of [true, false]) {
    const { clock, startedAt } = startAttempts(() => [target({ strategies: ['tcp'], isUdpLikely })])
    await clock.advance(5)
    assert.is(startedAt.length, isUdpLikely ? 0 : 1)
    await clock.advance(995)
    assert.ok(startedAt.length > 0)
  }
})

test('an upgrade is tried three times; once the fallback is gone, on and on', async () => {
  let one = target({ isUpgrade: true, natTypes: 'known, spare' })
  const { clock, startedAt, attempts, controller } = startAttempts(() => [one])
  await clock.advance(300_000)
  assert.equal([startedAt.length, clock.timers], [3, 0])
  one = target({ isUpgrade: false, natTypes: 'known' })
  attempts.update()
  await clock.advance(300_000)
  assert.ok(startedAt.length > 10, `${startedAt.length}`)
  controller.abort(new Error('stopped'))
  assert.is(clock.timers, 0)
})

function target(changes: Partial<PunchTarget>): PunchTarget {
  return {
    peerId: 2,
    strategies: ['cone'],
    natTypes: '5,0,5,0',
    isUdpLikely: false,
    isUpgrade: false,
    ...changes,
  }
}

type Punch = Parameters<typeof createPunchAttempts>[0]['punch']

function startAttempts(targets: () => readonly PunchTarget[], punch?: Punch) {
  const clock: FakeClock = createFakeClock()
  const controller = new AbortController()
  const startedAt: number[] = []
  const attempts = createPunchAttempts({
    clock,
    log: silentLog(),
    targets,
    signal: controller.signal,
    signalFor: () => new AbortController().signal,
    async punch(strategy, peerId, failures, signal) {
      startedAt.push(clock.now())
      if (punch) await punch(strategy, peerId, failures, signal)
      else throw new Error('nothing came through')
    },
  })
  attempts.update()
  return { clock, startedAt, attempts, controller }
}

test.run()
