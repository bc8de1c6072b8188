import { createDeferred } from '#core/async/deferred'
import { keepSharedNodes, type SharedNodesOptions } from '#core/easytier/dialing/sharedNodes'
import type { ConnectionProblem } from '#core/easytier/peer/peerConnection'
import type { Connection, Transports } from '#core/easytier/transport/transports'
import { createFakeClock } from '#support/network/fakeClock'
import { peerConnection } from '#support/network/peerConnection'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'

const test = suite('easytier: configured shared nodes')

const URL = 'tcp://192.0.2.1:11010'

const connection = peerConnection(2, {
  origin: { transport: 'tcp', isDialler: true, url: URL },
  isSharedNode: true,
  roundTrip: 1.26,
})

for (const [what, problem, wasOpen, isRefused] of [
  ['closes right after the handshake', 'closed', true, true],
  ['is a member, and says in the handshake that the secret is another', 'wrong-secret', false, true],
  ['closes before the handshake', 'closed', false, false],
  ['is silent', 'silent', true, false],
] as const satisfies readonly (readonly [string, ConnectionProblem, boolean, boolean])[]) {
  test(`a node that ${what} ${isRefused ? 'has' : 'has not'} refused us`, async () => {
    const { nodes, stop } = open(never)
    assert.is(nodes.refusals(), 0)
    if (wasOpen) nodes.connectionOpened(connection)
    nodes.connectionClosed({ connection, problem, wasOpen })
    assert.is(nodes.refusals(), isRefused ? 1 : 0)
    await stop()
  })
}

test('a refusal is forgotten once the next connection has lasted a second', async () => {
  const { clock, nodes, stop } = open(never)
  nodes.connectionOpened(connection)
  await clock.advance(999)
  nodes.connectionClosed({ connection, problem: 'closed', wasOpen: true })
  nodes.connectionOpened(connection)
  await clock.advance(999)
  assert.is(nodes.refusals(), 1)
  await clock.advance(1)
  assert.is(nodes.refusals(), 0)
  nodes.connectionClosed({ connection, problem: 'closed', wasOpen: true })
  assert.is(nodes.refusals(), 0, 'a connection that lasted a second was no refusal')
  await stop()
})

test('a node that cannot be dialled is dialled again after pauses that double up to 10 s', async () => {
  const { clock, nodes, dialledAt, stop } = open(() => Promise.reject(new Error('refused')))
  await clock.advance(26_000)
  assert.equal(dialledAt, [0, 500, 1500, 3500, 7500, 15_500, 25_500])
  assert.equal(nodes.statuses(), [{ url: URL, state: 'failed', latencyMs: undefined, problem: 'refused' }])
  nodes.retryAll()
  await clock.advance(0)
  assert.equal(dialledAt.slice(7), [26_000])
  await stop()
})

for (const [lastedMs, pauseMs] of [
  [10_000, 500],
  [9999, 2000],
] as const) {
  test(`after a connection of ${lastedMs} ms the pause is ${pauseMs} ms`, async () => {
    const closed = createDeferred()
    let dials = 0
    const { clock, nodes, dialledAt, stop } = open(() => {
      dials += 1
      return dials === 3
        ? Promise.resolve({ closed: closed.promise } as Connection)
        : Promise.reject(new Error('refused'))
    })
    await clock.advance(1500)
    nodes.connectionOpened(connection)
    await clock.advance(lastedMs)
    nodes.connectionClosed({ connection, problem: 'silent', wasOpen: true })
    closed.resolve()
    await clock.advance(pauseMs)
    assert.equal(dialledAt, [0, 500, 1500, 1500 + lastedMs + pauseMs])
    await stop()
  })
}

test('the status follows the connection, and each change is reported once', async () => {
  const { nodes, changes, stop } = open(never)
  const states = () =>
    nodes.statuses().map(({ state, latencyMs, problem }) => ({ state, latencyMs, problem }))
  assert.equal(states(), [{ state: 'connecting', latencyMs: undefined, problem: undefined }])
  nodes.connectionOpened({ ...connection, origin: { transport: 'tcp', isDialler: false } })
  assert.is(changes(), 0, 'a connection of no configured node')
  nodes.connectionOpened(connection)
  nodes.connectionOpened(connection)
  assert.equal(states(), [{ state: 'connected', latencyMs: 1.3, problem: undefined }])
  assert.is(changes(), 1)
  nodes.connectionClosed({ connection, problem: 'silent', wasOpen: true })
  assert.equal(states(), [{ state: 'failed', latencyMs: undefined, problem: 'it does not answer any more' }])
  assert.is(changes(), 2)
  await stop()
})

function never(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

/** One node, dialled as the test says; handshakes and their ends are the test's alone. */
function open(dial: (signal: AbortSignal) => Promise<Connection>) {
  const clock = createFakeClock()
  const stopping = new AbortController()
  const dialledAt: number[] = []
  let changes = 0
  const transports = {
    resolve: async () => ['192.0.2.1'],
    dialTcp(_to: unknown, signal: AbortSignal) {
      dialledAt.push(clock.now())
      return dial(signal)
    },
  } as unknown as Transports
  const nodes = keepSharedNodes({
    urls: [URL],
    transports,
    clock,
    log: silentLog(),
    random: () => 0.5,
    signal: stopping.signal,
    udp: undefined as unknown as SharedNodesOptions['udp'],
    onConnection: () => {},
    onStatus: () => {
      changes += 1
    },
  })
  const stop = async () => {
    stopping.abort()
    await nodes.closed
    assert.is(clock.timers, 0)
  }
  return { clock, nodes, dialledAt, changes: () => changes, stop }
}

test.run()
