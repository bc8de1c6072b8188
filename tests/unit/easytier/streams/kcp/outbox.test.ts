import { createOutbox, createPacketBuffer } from '#core/easytier/streams/kcp/outbox'
import { decodeSegments } from '#core/easytier/streams/kcp/segments'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'

const test = suite('easytier: outbox of KCP segments')

test('segments share a packet of 1200 bytes; one that does not fit begins the next', () => {
  const { packets, put, finish } = start()
  put(0, 600)
  put(1, 1200 - 600 - 2 * 24)
  put(2, 0)
  finish()
  assert.equal(each(packets, 'length'), [1200, 24])
  assert.equal(packets.map(sequences), [[0, 1], [2]])
})

test('each packet has room for a header before its segments', () => {
  const { packets, put, finish } = start(14)
  for (const sequence of [0, 1]) put(sequence, 1176)
  finish()
  assert.equal(each(packets, 'length'), [1214, 1214])
  const numbers = packets.map((packet) => sequences(packet.subarray(14)))
  assert.equal(numbers, [[0], [1]])
})

test('a full packet is sent with the next segment, the last one with `finish`', () => {
  const { packets, put, finish } = start()
  finish()
  put(0, 1176)
  assert.equal(packets, [])
  put(1, 5)
  assert.equal(packets.map(sequences), [[0]])
  finish()
  finish()
  assert.equal(packets.map(sequences), [[0], [1]])
})

test('outboxes share a buffer one after the other', () => {
  const buffer = createPacketBuffer(0)
  for (const one of [start(0, buffer), start(0, buffer), start(0, buffer)]) {
    one.put(1, 7)
    one.finish()
    assert.equal(one.packets.map(sequences), [[1]])
  }
})

function start(headroom = 0, buffer = createPacketBuffer(headroom)) {
  const packets: Uint8Array[] = []
  const { put, finish } = createOutbox(buffer, (packet) => packets.push(packet.slice()))
  return {
    packets,
    finish,
    put: (sequence: number, size: number) => put(7, 81, 1024, 1, sequence, 0, new Uint8Array(size)),
  }
}

function sequences(packet: Uint8Array): number[] | undefined {
  return decodeSegments(packet)?.map(({ sequence }) => sequence)
}

test.run()
