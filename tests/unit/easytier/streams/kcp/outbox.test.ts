import * as assert from 'uvu/assert'
import { createOutbox } from '#core/easytier/streams/kcp/outbox'
import { decodeSegments } from '#core/easytier/streams/kcp/segments'
import { suite } from '#support/runner/suite'

const test = suite('easytier: outbox of KCP segments')

test('segments share a packet of 1200 bytes; one that does not fit begins the next', () => {
  const outbox = createOutbox(0)
  put(outbox, 0, 600)
  put(outbox, 1, 1200 - 600 - 2 * 24)
  put(outbox, 2, 0)
  const packets = outbox.take()
  assert.equal(
    packets.map(({ length }) => length),
    [1200, 24],
  )
  assert.equal(packets.map(sequences), [[0, 1], [2]])
})

test('each packet has room for a header before its segments', () => {
  const outbox = createOutbox(14)
  for (const sequence of [0, 1]) put(outbox, sequence, 1176)
  const packets = outbox.take()
  assert.equal(
    packets.map(({ length }) => length),
    [1214, 1214],
  )
  assert.equal(
    packets.map((packet) => sequences(packet.subarray(14))),
    [[0], [1]],
  )
})

test('nothing put, nothing taken; packets are handed out once', () => {
  const outbox = createOutbox(0)
  assert.equal(outbox.take(), [])
  put(outbox, 0, 5)
  assert.is(outbox.take().length, 1)
  assert.equal(outbox.take(), [])
  put(outbox, 1, 5)
  assert.equal(outbox.take().map(sequences), [[1]])
})

test('buffers are used again', () => {
  const outbox = createOutbox(0)
  put(outbox, 0, 1176)
  const [first] = outbox.take()
  put(outbox, 1, 1176)
  assert.is(outbox.take()[0], first)
})

test.run()

function put(outbox: ReturnType<typeof createOutbox>, sequence: number, size: number): void {
  outbox.put(7, 81, 1024, 1, sequence, 0, new Uint8Array(size))
}

function sequences(packet: Uint8Array): number[] | undefined {
  return decodeSegments(packet)?.map(({ sequence }) => sequence)
}
