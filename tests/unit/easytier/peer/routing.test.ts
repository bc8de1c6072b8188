import { createRouting, newRecord } from '#core/easytier/peer/routing'
import { type CallResult, createRpcCalls } from '#core/easytier/peer/rpcCalls'
import { rpcMethods } from '#core/easytier/wire/messages'
import { createFakeClock } from '#support/network/fakeClock'
import { memberRecord } from '#support/network/memberRecord'
import { peerConnection } from '#support/network/peerConnection'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'

const test = suite('easytier: routing', { setUp, tearDown: ({ routing }) => routing.close() })

const OWN = 11
const OTHER = 77

function setUp() {
  const clock = createFakeClock()
  const { bytes: randomBytes } = createPrng(1)
  let changes = 0
  let ticks = 0
  const neighbours: number[] = []
  const routing = createRouting({
    record: newRecord(memberRecord(OWN), randomBytes),
    networkName: 'net',
    clock,
    randomBytes,
    onChanged() {
      changes += 1
    },
    connections: {
      neighbours: () => neighbours,
      best: () => undefined,
      isResponsive: () => false,
      tick() {
        ticks += 1
      },
    },
    send(_, isRequest, payload) {
      if (!isRequest) other.receive(payload, OWN)
      return true
    },
  })
  const other = createRpcCalls({
    ownId: OTHER,
    networkName: 'net',
    clock,
    random32: () => 5,
    send(_, __, payload) {
      routing.calls.receive(payload, OTHER)
      return true
    },
  })
  return {
    clock,
    routing,
    neighbours,
    changes: () => changes,
    ticks: () => ticks,
    call(method: 'getGlobalPeerMap' | 'reportPeers' | 'syncRouteInfo', request: Uint8Array) {
      return new Promise<CallResult>((resolve) => other.call(OWN, method, request, 1000, resolve))
    },
  }
}

test('all changes of one turn are announced once', async ({ clock, routing, changes }) => {
  routing.changed()
  routing.changed()
  assert.is(changes(), 0)
  await clock.advance(0)
  assert.is(changes(), 1)
  routing.changed()
  await clock.advance(0)
  assert.is(changes(), 2)
})

test('connections are looked after every half second', async ({ clock, ticks }) => {
  await clock.advance(499)
  assert.is(ticks(), 0)
  await clock.advance(1001)
  assert.is(ticks(), 3)
})

test('neighbours of open connections are in our row; one whose handshake failed changes nothing', async (parts) => {
  const { clock, routing, neighbours, changes } = parts
  const connection = peerConnection(OTHER)
  neighbours.push(OTHER)
  routing.opened(connection)
  assert.equal(routing.table.reachableRows()[0]?.connected, [OTHER])
  await clock.advance(0)
  const before = changes()
  routing.closed(connection, false)
  await clock.advance(0)
  assert.is(changes(), before)
  neighbours.pop()
  routing.closed(connection, true)
  assert.equal(routing.table.reachableRows()[0]?.connected, [])
  await clock.advance(0)
  assert.is(changes(), before + 1)
})

test('the peer map is answered empty, reports are accepted, and a damaged sync is refused', async (parts) => {
  const { call } = parts
  const map = await call('getGlobalPeerMap', rpcMethods.getGlobalPeerMap.request.encode({}))
  const report = await call('reportPeers', new Uint8Array(0))
  const sync = await call('syncRouteInfo', Uint8Array.of(0xff, 0xff))
  assert.equal([map.kind, sync.kind], ['answer', 'error'])
  assert.equal(report, { kind: 'answer', response: new Uint8Array(0) })
})

test('after close no timer is left, and nothing is announced', async ({ clock, routing, changes, ticks }) => {
  routing.changed()
  routing.close()
  routing.changed()
  await clock.advance(2000)
  assert.equal([changes(), ticks(), clock.timers], [0, 0, 0])
})

test.run()
