import { createFlight, type Flight, slotOf } from '#core/easytier/streams/kcp/flight'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: segments in flight')

test('segments are on their way in the order of sending', () => {
  const flight = filled(0xfffffffe, 4)
  assert.equal(onWay(flight), [0xfffffffe, 0xffffffff, 0, 1])
  assert.is(flight.onWay, 4)
  assert.ok(flight.holds(0))
  assert.not.ok(flight.holds(2))
  assert.not.ok(flight.holds(1024), 'the same slot, another number')
})

test('one that has arrived is taken out, wherever it is', () => {
  const flight = filled(0, 4)
  for (const sequence of [0, 2, 3]) flight.remove(slotOf(sequence))
  assert.equal(onWay(flight), [1])
  assert.not.ok(flight.holds(2))
  assert.is(flight.data(slotOf(2)).length, 0)
})

test('a lost one waits to be sent again, and then is the last on its way', () => {
  const flight = filled(0, 3)
  flight.markLost(slotOf(1))
  flight.markLost(slotOf(0))
  assert.equal([flight.onWay, flight.lost], [1, 2])
  assert.is(flight.firstLost(), slotOf(1))
  assert.ok(flight.isLost(slotOf(0)))
  flight.resend(slotOf(1), 50)
  assert.equal(onWay(flight), [2, 1])
  assert.is(flight.firstLost(), slotOf(0))
  assert.equal([flight.sentAt(1), flight.firstSentAt(1), flight.tries(1)], [50, 1, 2])
  flight.remove(slotOf(0))
  assert.equal([flight.lost, flight.firstLost()], [0, undefined])
})

test('overtaking is counted since the last sending', () => {
  const flight = filled(0, 1)
  assert.equal([flight.overtake(0), flight.overtake(0)], [1, 2])
  flight.noteOvertaken(0)
  assert.ok(flight.wasOvertaken(0))
  flight.markLost(0)
  flight.resend(0, 9)
  assert.is(flight.overtake(0), 1)
  assert.ok(flight.wasOvertaken(0), 'remembered until the slot is used again')
  flight.remove(0)
  flight.add(1024, new Uint8Array(1), 10)
  assert.not.ok(flight.wasOvertaken(0))
})

/** So many segments, sent one millisecond after another. */
function filled(first: number, count: number): Flight {
  const flight = createFlight()
  for (let i = 0; i < count; i += 1) flight.add((first + i) >>> 0, Uint8Array.of(i), i)
  return flight
}

function onWay(flight: Flight): number[] {
  const sequences: number[] = []
  for (let slot = flight.oldest(); slot !== undefined; slot = flight.after(slot)) {
    sequences.push(flight.sequence(slot))
  }
  return sequences
}

test.run()
