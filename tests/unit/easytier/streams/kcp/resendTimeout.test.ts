import { Flight } from '#internal/easytier/streams/kcp/flight'
import {
  loseTimedOut,
  nextTimeout,
  RoundTripTime,
  resendTimeout,
} from '#internal/easytier/streams/kcp/resendTimeout'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: KCP timeouts', { setUp: () => new Flight() })

const DATA = new Uint8Array(1)
const TIMEOUT = 50

for (const [tries, pathTimeout, wait] of [
  [1, 50, 50],
  [2, 50, 75],
  [3, 50, 113],
  [8, 50, 855],
  [9, 50, 1000],
  [1000, 50, 1000],
  [1, 1500, 1500],
  [9, 1500, 1500],
] as const) {
  test(`sent ${tries} times, with a path of ${pathTimeout} ms: again after ${wait} ms`, () => {
    assert.is(resendTimeout(tries, pathTimeout), wait)
  })
}

test('a time-out that was too short has half as much slack again, up to 8 times; a round takes 1 % back', () => {
  const time = new RoundTripTime()
  time.measured(100)
  const timeOuts = Array.from({ length: 6 }, () => {
    time.timedOutTooSoon()
    return time.timeOut()
  })
  assert.equal(timeOuts, [400, 550, 775, 1113, 1619, 1700])
  for (let round = 0; round < 300; round += 1) time.roundEnded()
  assert.is(time.timeOut(), 300)
})

test('nothing times out when nothing is on its way', (flight) => {
  assert.equal([nextTimeout(flight, TIMEOUT), lost(flight, 1e9)], [Number.POSITIVE_INFINITY, []])
})

test('segments time out in the order of sending, and only those that are due', (flight) => {
  for (const [sequence, at] of [
    [0, 0],
    [1, 10],
    [2, 30],
  ] as const) {
    flight.add(sequence, DATA, at)
  }
  assert.equal([nextTimeout(flight, TIMEOUT), lost(flight, 49)], [50, []])
  assert.equal(lost(flight, 60), [0, 1])
  assert.equal([nextTimeout(flight, TIMEOUT), lost(flight, 80)], [80, [2]])
})

test('one sent twice waits longer, and does not hide a later one that is due before it', (flight) => {
  flight.add(0, DATA, 0)
  lost(flight, 50)
  const first = flight.firstLost()
  assert.ok(first)
  flight.resend(first, 100)
  flight.add(1, DATA, 110)
  assert.is(nextTimeout(flight, TIMEOUT), 160)
  assert.equal(lost(flight, 160), [1])
  assert.equal([nextTimeout(flight, TIMEOUT), lost(flight, 174), lost(flight, 175)], [175, [], [0]])
})

/** Finds what has timed out, as the sender does. @returns the sequence numbers of those that were not lost before */
function lost(flight: Flight, now: number): number[] {
  const before = new Set(lostIn(flight))
  const isFound = loseTimedOut(flight, now, TIMEOUT)
  const sequences = lostIn(flight).filter((sequence) => !before.has(sequence))
  assert.is(isFound, sequences.length > 0)
  return sequences
}

function lostIn(flight: Flight): number[] {
  const sequences: number[] = []
  for (let segment = flight.firstLost(); segment; segment = segment.next) sequences.push(segment.sequence)
  return sequences
}

test.run()
