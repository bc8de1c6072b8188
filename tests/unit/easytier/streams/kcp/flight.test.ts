import { Flight } from '#internal/easytier/streams/kcp/flight'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: KCP segments that are under way', { setUp: () => new Flight() })

/** The sequence numbers of those on their way, in the order of their last sending. */
function onWay(flight: Flight): number[] {
  const sequences: number[] = []
  for (let segment = flight.oldest(); segment; segment = segment.next) sequences.push(segment.sequence)
  return sequences
}

test('are in the order of their last sending, those believed lost apart', (flight) => {
  const [first, second, third] = [0xffffffff, 0, 1].map((sequence) => {
    flight.add(sequence, Uint8Array.of(1), 10)
    return flight.get(sequence)
  })
  assert.ok(first && second && third)
  flight.markLost(second, true)
  flight.markLost(third, false)
  assert.equal([onWay(flight), flight.onWay, flight.lost], [[0xffffffff], 1, 2])
  assert.is(flight.firstLost(), second)
  flight.resend(second, 30)
  assert.equal(
    [second.sentAt, second.firstSentAt, second.tries, second.wasOvertaken, second.overtaken],
    [30, 10, 2, true, 0],
  )
  assert.equal([onWay(flight), flight.firstLost()], [[0xffffffff, 0], third])
  flight.remove(first)
  flight.remove(third)
  assert.equal([onWay(flight), flight.onWay, flight.lost, flight.get(1)], [[0], 1, 0, undefined])
})

test.run()
