import { createDeferred } from '@lantern-room/base/async'
import { dialNode, firstOf } from '#internal/easytier/dialing/dialNode'
import type { Connection, Transports } from '#internal/easytier/transport/transports'
import type { UdpTransport } from '#internal/easytier/transport/udpTransport'
import type { Endpoint, UrlScheme } from '#internal/easytier/wire/socketAddress'
import { createFakeClock } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: dialling a node')

const machine = { isOwnAddress: () => false, isOwnName: () => false, isOnOwnSubnet: () => true }

test('candidates are dialled 250 ms apart, and at once after a failure', async () => {
  const { clock, startedAt, dials, outcome } = race(['a', 'b', 'c', 'd'])
  await clock.advance(400)
  assert.equal(startedAt, { a: 0, b: 250 })
  dials.get('b')?.reject(new Error('b refuses'))
  await clock.advance(300)
  assert.equal(startedAt, { a: 0, b: 250, c: 400, d: 650 })
  for (const name of ['d', 'a', 'c']) {
    dials.get(name)?.reject(new Error(`${name} refuses`))
    await clock.advance(1)
  }
  assert.equal([await outcome, clock.timers], ['Error: c refuses', 0])
})

test('the first connection wins, and later ones are closed', async () => {
  const { clock, startedAt, dials, signals, outcome } = race(['a', 'b', 'c'])
  await clock.advance(300)
  const [slow, fast] = [newConnection(), newConnection()]
  dials.get('b')?.resolve(fast.connection)
  assert.is(await outcome, fast.connection)
  assert.ok(signals.every(({ aborted }) => aborted))
  dials.get('a')?.resolve(slow.connection)
  await clock.advance(1000)
  assert.equal([slow.isClosed(), fast.isClosed()], [true, false])
  assert.equal(Object.keys(startedAt), ['a', 'b'])
  assert.is(clock.timers, 0)
})

test('without a candidate it fails at once', async () => {
  assert.is(await race([]).outcome, 'Error: it has no address that can be used')
})

for (let turns = 0; turns < 10; turns += 1) {
  test(`a dial that succeeds ${turns} turns before the signal aborts is returned or closed`, async () => {
    const { clock, dials, controller, outcome } = race(['anywhere'])
    const { connection, isClosed } = newConnection()
    await clock.advance(10)
    dials.get('anywhere')?.resolve(connection)
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    controller.abort(new Error('the end'))
    const taken = await outcome
    await clock.advance(0)
    assert.is(isClosed(), taken !== connection)
    assert.is(clock.timers, 0)
  })
}

test('every transport uses addresses of both families, and ws the name as well', async () => {
  assert.equal(await dialledAt('udp'), ['udp 2001:db8::1:9', 'udp 1.2.3.4:9'])
  assert.equal(await dialledAt('tcp'), ['tcp 2001:db8::1:9', 'tcp 1.2.3.4:9'])
  assert.equal(await dialledAt('ws'), ['ws node.test at 2001:db8::1', 'ws node.test at 1.2.3.4'])
  assert.equal(await dialledAt('wss'), ['wss node.test at 2001:db8::1', 'wss node.test at 1.2.3.4'])
})

test('the limit is for the whole attempt, the lookup of the name included', async () => {
  const clock = createFakeClock()
  const transports = { resolve: never, machine } as unknown as Transports
  const udp = undefined as unknown as UdpTransport
  const url = { scheme: 'tcp', host: 'node.test', port: 9, path: '/' } as const
  const { signal } = new AbortController()
  let failure: unknown
  dialNode({ url, origin: 'typed' }, { transports, udp, clock }, 3000, signal).catch((error: unknown) => {
    failure = String(error)
  })
  await clock.advance(2999)
  assert.is(failure, undefined)
  await clock.advance(1)
  assert.equal([failure, clock.timers], ['Error: no answer in 3 s', 0])
})

/** Dials candidates whose outcomes the test decides. */
function race(candidates: readonly string[]) {
  const clock = createFakeClock()
  const controller = new AbortController()
  const startedAt: Record<string, number> = {}
  const signals: AbortSignal[] = []
  const dials = new Map(candidates.map((name) => [name, createDeferred<Connection>()]))
  const dial = (name: string, signal: AbortSignal) => {
    startedAt[name] = clock.now()
    signals.push(signal)
    return dials.get(name)?.promise ?? Promise.reject(new Error('unknown'))
  }
  const outcome: Promise<unknown> = firstOf(candidates, clock, controller.signal, dial).catch(String)
  return { clock, controller, startedAt, signals, dials, outcome }
}

/** What is dialled for a name with an IPv6 and an IPv4 address, none of which answers. */
async function dialledAt(scheme: UrlScheme): Promise<readonly string[]> {
  const clock = createFakeClock()
  const dialled: string[] = []
  const dial = (kind: string) => (to: Endpoint, signal: AbortSignal) => {
    dialled.push(`${kind} ${to.address}:${to.port}`)
    return never(to, signal)
  }
  const transports = {
    resolve: async () => ['2001:db8::1', '1.2.3.4'],
    dialTcp: dial('tcp'),
    machine,
    dialWs(url: { scheme: string; host: string }, address: string, signal: AbortSignal) {
      dialled.push(`${url.scheme} ${url.host} at ${address}`)
      return never(url, signal)
    },
  } as unknown as Transports
  const udp = { dial: dial('udp') } as unknown as UdpTransport
  const url = { scheme, host: 'node.test', port: 9, path: '/' }
  const { signal } = new AbortController()
  const dialling = { transports, udp, clock }
  const failure = dialNode({ url, origin: 'typed' }, dialling, 1000, signal).catch(String)
  await clock.advance(1000)
  assert.is(await failure, 'Error: no answer in 1 s')
  return dialled
}

function never(_: unknown, signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

function newConnection() {
  let isClosed = false
  const close = () => {
    isClosed = true
  }
  return { connection: { close } as Connection, isClosed: () => isClosed }
}

test.run()
