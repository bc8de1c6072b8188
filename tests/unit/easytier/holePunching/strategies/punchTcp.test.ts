import { createDeferred } from '#core/async/deferred'
import { punchTcp, servePunchTcp } from '#core/easytier/holePunching/strategies/punchTcp'
import { UNKNOWN_NAT } from '#core/easytier/nat/natObserver'
import type { Connection } from '#core/easytier/transport/transports'
import { rpcMethods } from '#core/easytier/wire/messages'
import { type Endpoint, fromSocketAddr, toSocketAddr } from '#core/easytier/wire/socketAddress'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { hasResolved } from '#support/values/hasResolved'
import { createPunchParts, failureOf } from './punchParts'

const test = suite('easytier: TCP hole punching')

const MEMBER = 7
const FAR = { address: '30.0.0.1', port: 50_000 }
const SERVERS = [
  { address: '8.8.8.8', port: 3478 },
  { address: '8.8.4.4', port: 3478 },
]
const { exchangeMappedAddr } = rpcMethods
const CONNECTION = { close() {} } as Connection

type Dial = { readonly at: number; readonly to: Endpoint; readonly from: unknown }

/** @param dial decides each dial by its number, from 1 */
function setUp(dial: (count: number, signal: AbortSignal) => Promise<Connection>, stunFailures = 0) {
  const dials: Dial[] = []
  const queries: (Endpoint & { readonly localPort: number })[] = []
  const listening: { readonly port: number; readonly isOpen: () => boolean }[] = []
  let accept = (_connection: Connection) => {}
  const transports = {
    dialTcp(to: Endpoint, signal: AbortSignal, from: unknown) {
      dials.push({ at: parts.clock.now(), to, from })
      return dial(dials.length, signal)
    },
    async listenTcp(port: number, onConnection: (connection: Connection) => void, signal: AbortSignal) {
      accept = onConnection
      listening.push({ port, isOpen: () => !signal.aborted })
      const closed = createDeferred()
      signal.addEventListener('abort', () => closed.resolve())
      return { port, closed: closed.promise }
    },
  }
  const stun = {
    async queryTcp(server: Endpoint, localPort: number) {
      queries.push({ ...server, localPort })
      if (queries.length <= stunFailures) throw new Error(`no answer ${queries.length}`)
      return { address: '20.0.0.1', port: localPort + 1 }
    },
  }
  const parts = createPunchParts({
    answer: async () => exchangeMappedAddr.response.encode({ listenerMappedAddr: toSocketAddr(FAR) }),
    changes: { transports, stun, natInfo: () => ({ ...UNKNOWN_NAT, tcpServers: SERVERS }) } as never,
  })
  return { ...parts, dials, queries, listening, accept: () => accept(CONNECTION) }
}

const refused = async () => {
  throw new Error('refused')
}
const silent = (_count: number, signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

test('tells the member our address, and dials its own from the same port', async () => {
  const { clock, context, controller, calls, dials, attached } = setUp(async () => CONNECTION)
  const failure = failureOf(punchTcp(context, MEMBER, controller.signal))
  await clock.advance(0)
  const request = calls[0] && exchangeMappedAddr.request.decode(calls[0].request)
  assert.equal(fromSocketAddr(request?.connectorMappedAddr), { address: '20.0.0.1', port: 20_001 })
  assert.equal(dials, [{ at: 0, to: FAR, from: { localPort: 20_000 } }])
  assert.equal(attached, [{ isDialler: false, expectPeer: MEMBER, isPunched: true }])
  controller.abort(new Error('connected'))
  await clock.advance(0)
  assert.equal([failure.text, clock.timers], ['Error: connected', 0])
})

test('a refused client dials 30 times, then listens at its port for 7 s', async () => {
  const { clock, context, signal, dials, listening, attached, accept } = setUp(refused)
  const isOver = hasResolved(punchTcp(context, MEMBER, signal))
  await clock.advance(299)
  assert.equal([dials.length, dials.at(-1)?.at, listening.length], [30, 290, 0])
  await clock.advance(1)
  assert.equal([dials.length, listening[0]?.port, listening[0]?.isOpen()], [30, 20_000, true])
  accept()
  assert.equal(attached, [{ isDialler: false, expectPeer: MEMBER, isPunched: true }])
  await clock.advance(6999)
  assert.equal([isOver(), listening[0]?.isOpen()], [false, true])
  await clock.advance(1)
  assert.equal([isOver(), listening[0]?.isOpen(), clock.timers], [true, false, 0])
})

test('a client without an answer dials once, for 3 s', async () => {
  const { clock, context, controller, dials, listening } = setUp(silent)
  failureOf(punchTcp(context, MEMBER, controller.signal))
  await clock.advance(3009)
  assert.equal([dials.length, listening.length], [1, 0])
  await clock.advance(1)
  assert.equal([dials.length, listening.length], [1, 1])
  controller.abort()
  await clock.advance(0)
  assert.equal([listening[0]?.isOpen(), clock.timers], [false, 0])
})

test('a server answers with its address at once, and dials as the one that starts the handshake', async () => {
  const { clock, context, signal, dials, attached } = setUp((count) =>
    count < 3 ? refused() : Promise.resolve(CONNECTION),
  )
  assert.equal(await servePunchTcp(context, FAR, MEMBER, signal), { address: '20.0.0.1', port: 20_001 })
  await clock.advance(100)
  assert.equal(each(dials, 'at'), [0, 10, 20])
  assert.equal(attached, [{ isDialler: true, expectPeer: MEMBER, isPunched: true }])
  assert.is(clock.timers, 0)
})

test('a server dials five times when refused, and for 10 s when nothing answers', async () => {
  const busy = setUp(refused)
  await servePunchTcp(busy.context, FAR, MEMBER, busy.signal)
  await busy.clock.advance(1000)
  assert.equal([busy.dials.length, busy.attached, busy.clock.timers], [5, [], 0])
  const dark = setUp(silent)
  await servePunchTcp(dark.context, FAR, MEMBER, dark.signal)
  await dark.clock.advance(10_010)
  assert.equal(each(dark.dials, 'at'), [0, 3010, 6020, 9030])
  assert.is(dark.clock.timers, 0)
})

test('a connection at the moment of the abort is closed', async () => {
  let isClosed = false
  const dialled = createDeferred<Connection>()
  const { clock, context, controller, attached } = setUp(() => dialled.promise)
  const failure = failureOf(punchTcp(context, MEMBER, controller.signal))
  await clock.advance(0)
  controller.abort(new Error('stopped'))
  dialled.resolve({
    close() {
      isClosed = true
    },
  } as Connection)
  await clock.advance(0)
  assert.equal([failure.text, isClosed, attached], ['Error: stopped', true, []])
})

test('a port is mapped by the STUN servers in turn, with three tries', async () => {
  const third = setUp(async () => CONNECTION, 2)
  assert.ok(await servePunchTcp(third.context, FAR, MEMBER, third.signal))
  assert.equal(each(third.queries, 'address'), ['8.8.8.8', '8.8.4.4', '8.8.8.8'])
  const failing = setUp(async () => CONNECTION, 3)
  const unanswered = await servePunchTcp(failing.context, FAR, MEMBER, failing.signal).catch(String)
  assert.equal([unanswered, failing.dials], ['Error: no answer 3', []])
  const { context, signal } = createPunchParts()
  const unknown = await servePunchTcp(context, FAR, MEMBER, signal).catch(String)
  assert.is(unknown, 'Error: no STUN server for TCP is known')
})

test.run()
