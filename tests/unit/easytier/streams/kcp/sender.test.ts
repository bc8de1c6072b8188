import { PacketSize } from '#internal/easytier/streams/kcp/packetSize'
import { KcpSender } from '#internal/easytier/streams/kcp/sender'
import { MAX_PATH_PAYLOAD } from '#internal/easytier/wire/packet'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: KCP sender', { setUp: () => new KcpSender(new PacketSize(MAX_PATH_PAYLOAD)) })

const SEGMENT = 1142

function flush(sender: KcpSender, now: number, window = 128): number[] {
  const sent: number[] = []
  sender.flush(now, window, (sequence) => sent.push(sequence))
  return sent
}

/** Has sent so many segments at time 0. */
function sending(segments: number): KcpSender {
  const sender = new KcpSender(new PacketSize(MAX_PATH_PAYLOAD))
  sender.write(new Uint8Array(segments * SEGMENT))
  assert.is(flush(sender, 0).length, segments)
  return sender
}

test('bytes become segments of 1142, as many as the other side takes beyond the oldest', (sender) => {
  sender.write(new Uint8Array(5 * SEGMENT + 1))
  const sizes: number[] = []
  sender.flush(0, 3, (_sequence, { length }) => sizes.push(length))
  assert.equal(sizes, [SEGMENT, SEGMENT, SEGMENT])
  assert.equal([sender.queued, sender.outstanding, sender.oldest], [2 * SEGMENT + 1, 3, 0])
  assert.ok(sender.acknowledgeBefore(2))
  sender.afterInput(1)
  assert.equal(flush(sender, 1, 3), [3, 4])
  assert.equal([sender.queued, sender.outstanding, sender.oldest], [1, 3, 2])
})

test('claims about what was never sent are refused, old ones have no effect', () => {
  const sender = sending(2)
  assert.not(sender.acknowledgeBefore(3))
  assert.is(sender.outstanding, 2)
  assert.ok(sender.acknowledgeBefore(2))
  assert.ok(sender.acknowledgeBefore(1))
  sender.acknowledge(1, 0, 5)
  sender.acknowledge(9, 0, 5)
  assert.equal([sender.outstanding, sender.oldest], [0, 2])
})

test('while all is silent, 8 segments probe the path', () => {
  assert.equal(flush(sending(20), 50), [0, 1, 2, 3, 4, 5, 6, 7])
})

test('when it turns out to have arrived after all, four have to overtake the next one', () => {
  const sender = sending(10)
  for (const sequence of [1, 2]) sender.acknowledge(sequence, 0, 10)
  assert.equal(flush(sender, 10), [0])
  sender.acknowledge(0, 0, 12)
  for (const sequence of [4, 5, 6]) sender.acknowledge(sequence, 0, 12)
  sender.afterInput(12)
  assert.equal(flush(sender, 12), [])
  sender.acknowledge(7, 0, 12)
  assert.equal(flush(sender, 12), [3])
})

test('a round trip is believed that can be true: from the first sending on, and not from the future', () => {
  const sender = new KcpSender(new PacketSize(MAX_PATH_PAYLOAD))
  sender.write(new Uint8Array(3 * SEGMENT))
  flush(sender, 100)
  sender.acknowledge(0, 99, 120)
  sender.acknowledge(1, 121, 120)
  // The path is still unknown: a segment is lost after 50 ms.
  assert.is(sender.nextDeadline(), 150)
  sender.acknowledge(2, 100, 120)
  sender.write(new Uint8Array(1))
  flush(sender, 120)
  assert.is(sender.nextDeadline(), 230)
})

test('it is stuck since the last news while something is outstanding', (sender) => {
  assert.is(sender.stuckSince(), undefined)
  sender.write(new Uint8Array(2 * SEGMENT))
  flush(sender, 5)
  assert.is(sender.stuckSince(), 5)
  sender.acknowledge(0, 5, 9)
  sender.afterInput(9)
  assert.is(sender.stuckSince(), 9)
  sender.acknowledge(1, 5, 10)
  sender.afterInput(10)
  assert.is(sender.stuckSince(), undefined)
})

test.run()
