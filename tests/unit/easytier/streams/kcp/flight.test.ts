import { Flight } from '#core/easytier/streams/kcp/flight'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: KCP segments that are under way')

test('in a larger ring are the same segments, in the same order, with what is known of them', () => {
  const small = new Flight(4)
  for (const sequence of [0xfffffffe, 0xffffffff, 0, 1])
    small.add(sequence, Uint8Array.of(sequence & 255), 10)
  small.markLost(small.slotOf(0xffffffff), true)
  small.markLost(small.slotOf(0), false)
  small.resend(small.slotOf(0xffffffff), 30)
  small.remove(small.slotOf(0xfffffffe))
  const flight = small.grown()
  assert.equal([flight.size, flight.onWay, flight.lost], [8, 2, 1])
  assert.equal([flight.oldest(), flight.after(1), flight.after(7), flight.firstLost()], [1, 7, undefined, 0])
  assert.equal(
    [flight.sentAt(7), flight.firstSentAt(7), flight.tries(7), flight.wasOvertaken(7)],
    [30, 10, 2, true],
  )
  assert.equal(
    [flight.data(7), flight.holds(0xffffffff), flight.holds(0xfffffffe)],
    [Uint8Array.of(255), true, false],
  )
})

test.run()
