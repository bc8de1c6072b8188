import { concatBytes } from '@lantern-room/base/bytes'
import { createPacketReader } from '#internal/easytier/wire/framing'
import { hexOf, readVectors, unhex } from '#support/network/easytierVectors'
import { encodeTcpFrame } from '#support/network/tcpFrame'
import { assert, suite } from '#support/runner/suite'

const test = suite('easytier: frames on TCP')

type Transports = {
  readonly tcp: {
    readonly frames: readonly { readonly bytes: string; readonly packet: string }[]
    readonly stream: { readonly bytes: string; readonly frame_lengths: readonly number[] }
  }
}
const { tcp } = readVectors<Transports>('transports')

test('recorded frames are written and read', () => {
  for (const { bytes, packet } of tcp.frames) {
    assert.is(hexOf(encodeTcpFrame(unhex(packet))), bytes)
    assert.equal(readAll([unhex(bytes)]), [packet])
  }
  const packets = tcp.frames.map(({ packet }) => unhex(packet))
  assert.is(
    packets.map((packet) => hexOf(encodeTcpFrame(packet))).join(''),
    tcp.frames.map(({ bytes }) => bytes).join(''),
  )
})

test('a recorded stream gives the same packets wherever it is cut in two', () => {
  const stream = unhex(tcp.stream.bytes)
  const whole = readAll([stream])
  const sizes = whole.map((packet) => packet.length / 2 + 4)
  assert.equal(sizes, [...tcp.stream.frame_lengths])
  for (let at = 0; at <= stream.length; at++)
    assert.equal(readAll([stream.subarray(0, at), stream.subarray(at)]), whole, `cut at ${at}`)
})

test('it gives the same packets byte by byte', () => {
  const stream = unhex(tcp.stream.bytes)
  assert.equal(readAll(Array.from(stream, (byte) => Uint8Array.of(byte))), readAll([stream]))
})

test('a stream that ends early gives what is whole', () => {
  const stream = unhex(tcp.stream.bytes)
  const ends = tcp.stream.frame_lengths.map((_, i, all) =>
    all.slice(0, i + 1).reduce((sum, size) => sum + size, 0),
  )
  for (let length = 0; length < stream.length; length++)
    assert.is(readAll([stream.subarray(0, length)]).length, ends.filter((end) => end <= length).length)
})

for (const length of [0, 1, 15, 2001, 0x00010000, 0xffffffff])
  test(`a length of ${length} ends the stream before its body is there`, () => {
    const reader = createPacketReader()
    const prefix = new Uint8Array(4)
    new DataView(prefix.buffer).setUint32(0, length, true)
    const seen: Uint8Array[] = []
    const good = encodeTcpFrame(new Uint8Array(16))
    assert.is(
      reader.push(good, (packet) => seen.push(packet)),
      true,
    )
    assert.is(reader.push(prefix.subarray(0, 3), fail), true)
    assert.is(reader.push(prefix.subarray(3), fail), false)
    assert.is(reader.push(good, fail), false, 'and stays ended')
    assert.is(seen.length, 1)
  })

test('16 and 2000 bytes are within the limits', () => {
  const frames = concatBytes([16, 2000].map((size) => encodeTcpFrame(new Uint8Array(size))))
  const sizes = readAll([frames]).map((packet) => packet.length / 2)
  assert.equal(sizes, [16, 2000])
})

test('what is kept for later is no view on the chunk', () => {
  const frame = encodeTcpFrame(Uint8Array.from({ length: 20 }, (_, i) => i))
  const chunk = frame.slice(0, 10)
  const reader = createPacketReader()
  reader.push(chunk, fail)
  chunk.fill(0xee)
  const seen: string[] = []
  reader.push(frame.subarray(10), (packet) => seen.push(hexOf(packet)))
  assert.equal(seen, [hexOf(frame.subarray(4))])
})

function readAll(chunks: readonly Uint8Array[]): string[] {
  const reader = createPacketReader()
  const packets: string[] = []
  for (const chunk of chunks)
    assert.is(
      reader.push(chunk, (packet) => packets.push(hexOf(packet))),
      true,
    )
  return packets
}

function fail(): void {
  assert.unreachable('a packet where there is none')
}

test.run()
