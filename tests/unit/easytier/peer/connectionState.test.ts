import {
  isEstablished,
  isUnresponsive,
  newConnection,
  nextPing,
  notePong,
  noteReceived,
  open,
  suspect,
} from '#internal/easytier/peer/connectionState'
import { createFarEnd } from '#support/network/replayTransports'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: the state of a connection', { setUp: opened })

function opened(isDialler = false) {
  const connection = newConnection(createFarEnd(() => undefined).link, { transport: 'udp', isDialler }, 100)
  const state = open(connection, { peerId: 2, isSharedNode: true }, 140)
  return { connection, state, traffic: state.traffic }
}

test('the dialler takes the handshake for its first round trip, the listener none', () => {
  const { connection } = opened(true)
  assert.equal([connection.peerId, connection.isSharedNode, connection.roundTrip], [2, true, 40])
  assert.is(opened(false).connection.roundTrip, undefined)
})

test('the first two measurements replace the round trip, later ones count a quarter', () => {
  const { connection, traffic } = opened(true)
  const roundTrips = [100, 60, 100, 20].map((ms, at) => {
    const sequence = nextPing(traffic, at * 1000)
    assert.is(notePong(connection, sequence, at * 1000 + ms), true)
    return connection.roundTrip
  })
  assert.equal(roundTrips, [100, 60, 70, 57.5])
  assert.is(connection.answeredAt, 3020)
})

test('only the first answer to the latest ping is measured', ({ connection, traffic }) => {
  const [first, second] = [nextPing(traffic, 200), nextPing(traffic, 300)]
  assert.equal([first, second, traffic.unansweredSince], [1, 2, 200])
  assert.equal([notePong(connection, first, 310), notePong(connection, undefined, 310)], [false, false])
  assert.equal([traffic.unansweredSince, connection.answeredAt], [200, undefined])
  assert.equal([notePong(connection, second, 320), notePong(connection, second, 330)], [true, false])
  assert.equal([traffic.unansweredSince, connection.roundTrip, connection.answeredAt], [undefined, 20, 320])
})

test('the numbers of pings start again after 32 bits', ({ traffic }) => {
  traffic.sequence = 0xffff_ffff
  assert.is(nextPing(traffic, 200), 0)
})

test('is unresponsive when for more than 1.5 s neither an answer nor a packet has come', () => {
  const { connection, state, traffic } = opened()
  assert.is(isUnresponsive(state, 9000), false)
  nextPing(traffic, 1000)
  assert.equal([isUnresponsive(state, 2500), isUnresponsive(state, 2501)], [false, true])
  noteReceived(connection, state, 2000)
  assert.equal([isUnresponsive(state, 3500), isUnresponsive(state, 3501)], [false, true])
})

test('a suspicion that any packet clears, and one that needs an answer', () => {
  for (const needsAnswer of [false, true]) {
    const { connection, state } = opened()
    suspect(connection, state, 3000, needsAnswer)
    if (connection.state.phase === 'suspect') noteReceived(connection, connection.state, 500)
    assert.is(connection.state.phase, needsAnswer ? 'suspect' : 'open')
  }
})

test('an answer clears a suspicion when its ping is the suspicion’s or a later one', () => {
  for (const [answered, phase] of [
    [1, 'suspect'],
    [2, 'open'],
    [3, 'open'],
  ] as const) {
    const { connection, state, traffic } = opened()
    nextPing(traffic, 200)
    nextPing(traffic, 300)
    suspect(connection, state, 3000, true)
    nextPing(traffic, 400)
    notePong(connection, answered, 450)
    assert.is(connection.state.phase, phase)
  }
})

test('open and suspect connections are established; nothing else is, nor takes an answer', () => {
  const { connection, state } = opened()
  assert.ok(isEstablished(connection.state))
  suspect(connection, state, 3000, true)
  assert.ok(isEstablished(connection.state))
  const young = newConnection(createFarEnd(() => undefined).link, { transport: 'udp', isDialler: true }, 0)
  assert.not(isEstablished(young.state))
  assert.not(isEstablished({ phase: 'closed' }))
  assert.equal([isUnresponsive(young.state, 1e9), notePong(young, 0, 10)], [false, false])
})

test.run()
