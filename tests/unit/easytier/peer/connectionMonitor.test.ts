import { nextStep, surveyConnections } from '#internal/easytier/peer/connectionMonitor'
import {
  type ConnectionState,
  type MonitoredConnection,
  newConnection,
  type Traffic,
} from '#internal/easytier/peer/connectionState'
import type { ConnectionOrigin } from '#internal/easytier/peer/peerConnection'
import { createFarEnd } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'

const test = suite('what is done with a connection, state by state')

const NOW = 100_000
const dialler: ConnectionOrigin = { transport: 'udp', isDialler: true }
const acceptor: ConnectionOrigin = { transport: 'udp', isDialler: false }
const byTcp: ConnectionOrigin = { transport: 'tcp', isDialler: true }
const idle = { isUsed: false, isNeighbourUnresponsive: false }
const used = { isUsed: true, isNeighbourUnresponsive: false }
const unresponsive = { isUsed: false, isNeighbourUnresponsive: true }

type Row = readonly [
  name: string,
  state: ConnectionState,
  origin: ConnectionOrigin,
  surroundings: typeof idle,
  step: 'ping' | 'drop' | 'wait',
]

const rows: readonly Row[] = [
  ['handshake by UDP, in time', handshaking(2499), dialler, idle, 'wait'],
  ['handshake by UDP, too late', handshaking(2500), dialler, idle, 'drop'],
  ['handshake by TCP, in time', handshaking(4999), byTcp, idle, 'wait'],
  ['handshake by TCP, too late', handshaking(5000), byTcp, idle, 'drop'],
  ['handshake of an acceptor, in time', handshaking(4999), acceptor, idle, 'wait'],
  ['handshake of an acceptor, too late', handshaking(5000), acceptor, idle, 'drop'],

  ['one of the first pings, not yet', open({ pingCount: 2, pingedAt: ago(399) }), dialler, idle, 'wait'],
  ['one of the first pings', open({ pingCount: 2, pingedAt: ago(400) }), dialler, idle, 'ping'],
  ['used, not yet', open({ pingedAt: ago(2999) }), dialler, used, 'wait'],
  ['used', open({ pingedAt: ago(3000) }), dialler, used, 'ping'],
  ['idle with an unanswered ping', waiting(3000, ago(100)), dialler, idle, 'ping'],
  ['idle with an unanswered ping, not yet', waiting(2999, ago(100)), dialler, idle, 'wait'],
  ['neighbour unresponsive, not yet', open({ pingedAt: ago(1499) }), dialler, unresponsive, 'wait'],
  ['neighbour unresponsive', open({ pingedAt: ago(1500) }), dialler, unresponsive, 'ping'],
  ['idle dialler, not yet', quiet(9999), dialler, idle, 'wait'],
  ['idle dialler', quiet(10_000), dialler, idle, 'ping'],
  ['idle acceptor, not yet', quiet(12_999), acceptor, idle, 'wait'],
  ['idle acceptor', quiet(13_000), acceptor, idle, 'ping'],
  ['idle, still receiving', open({ pingedAt: ago(29_999), receivedAt: ago(1) }), dialler, idle, 'wait'],
  ['idle, round trip is old', open({ pingedAt: ago(30_000), receivedAt: ago(1) }), dialler, idle, 'ping'],

  ['silent, not yet', waiting(1000, ago(6999)), dialler, used, 'wait'],
  ['silent', waiting(1000, ago(7000)), dialler, used, 'drop'],
  ['pings unanswered, but packets come', waiting(1000, ago(20_000), ago(6999)), dialler, used, 'wait'],
  ['slept, not yet', open({ receivedAt: ago(34_999) }), dialler, used, 'wait'],
  ['slept', open({ receivedAt: ago(35_000) }), dialler, used, 'drop'],

  ['suspect, not yet', suspect(1, { pingedAt: ago(899) }), dialler, used, 'wait'],
  ['suspect', suspect(1, { pingedAt: ago(900) }), dialler, idle, 'ping'],
  ['suspect and unresponsive', suspect(1, { pingedAt: ago(900) }), dialler, unresponsive, 'ping'],
  ['suspect, time is up', suspect(0, { receivedAt: NOW }), dialler, used, 'drop'],
  ['suspect and silent', suspect(1, { unansweredSince: ago(7000), receivedAt: 0 }), dialler, used, 'drop'],

  ['closed', { phase: 'closed' }, dialler, used, 'wait'],
]

for (const [name, state, origin, surroundings, step] of rows) {
  test(`${name}: ${step}`, () => assert.is(nextStep({ state, origin }, NOW, surroundings), step))
}

test('of the connections to a neighbour the best is used, where peers are reached through it', () => {
  const [near, far, other] = [connection(2, 5), connection(2, 50), connection(4, 5)]
  const { used, unresponsive } = survey([[far, near], [other]], ({ peerId }) => peerId === 2)
  assert.equal([...used], [near])
  assert.equal([...unresponsive], [])
})

test('an unresponsive connection is not the used one, and its neighbour is reported', () => {
  const [near, far] = [connection(2, 5), connection(2, 50)]
  near.state = waiting(1000, ago(1501))
  const { used, unresponsive } = survey([[near, far]], () => true)
  assert.equal([...used], [far])
  assert.equal([...unresponsive], [2])
})

test('a neighbour that used us as a relay counts as used for 10 s, on its best connection', () => {
  const [near, far] = [connection(2, 5), connection(2, 50)]
  far.state = open({ relayedAt: ago(9999) })
  assert.equal([...survey([[near, far]], () => false).used], [near])
  far.state = open({ relayedAt: ago(10_000) })
  assert.equal([...survey([[near, far]], () => false).used], [])
})

function survey(
  neighbours: readonly (readonly MonitoredConnection[])[],
  leadsToPeers: (connection: MonitoredConnection) => boolean,
) {
  const sets = neighbours.map((connections) => new Set(connections))
  return surveyConnections(sets, NOW, leadsToPeers)
}

function ago(ms: number): number {
  return NOW - ms
}

function handshaking(ms: number): ConnectionState {
  return { phase: 'handshaking', since: ago(ms) }
}

function traffic(change: Partial<Traffic>): Traffic {
  return {
    receivedAt: NOW,
    relayedAt: Number.NEGATIVE_INFINITY,
    pingCount: 3,
    sequence: 3,
    pingedAt: ago(100),
    unansweredSince: undefined,
    ...change,
  }
}

function open(change: Partial<Traffic>): ConnectionState {
  return { phase: 'open', traffic: traffic(change) }
}

/** Nothing sent or received for so long. */
function quiet(ms: number): ConnectionState {
  return open({ pingedAt: ago(ms), receivedAt: ago(ms) })
}

/** An unanswered ping. */
function waiting(pingedMs: number, unansweredSince: number, receivedAt = unansweredSince): ConnectionState {
  return open({ pingedAt: ago(pingedMs), unansweredSince, receivedAt })
}

function suspect(leftMs: number, change: Partial<Traffic>): ConnectionState {
  return { phase: 'suspect', traffic: traffic(change), until: NOW + leftMs, sequence: 3, needsAnswer: true }
}

function connection(peerId: number, roundTrip: number): MonitoredConnection {
  return {
    ...newConnection(createFarEnd(() => undefined).link, dialler, NOW),
    peerId,
    roundTrip,
    state: open({}),
  }
}

test.run()
