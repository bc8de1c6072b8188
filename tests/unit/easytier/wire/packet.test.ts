import {
  decodePacket,
  encodePacket,
  encodePing,
  encodePong,
  packetTypes,
  sequenceOf,
} from '#internal/easytier/wire/packet'
import { everyPacket, type HeaderVector, hexOf, readVectors, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: packets')

type Headers = {
  readonly headers: readonly (HeaderVector & { readonly name: string; readonly bytes: string })[]
}

test('every recorded header is read, and written again the same but for the byte without meaning', () => {
  const { headers } = readVectors<Headers>('packets')
  const found = [
    ...headers,
    ...everyPacket().map(({ packet }) => ({ ...packet.header, bytes: packet.bytes })),
  ]
  assert.ok(found.length > 500, `${found.length} headers`)
  for (const vector of found) {
    const bytes = unhex(vector.bytes)
    const packet = decodePacket(bytes)
    assert.ok(packet)
    assert.equal(packet.from, vector.from_peer_id)
    assert.equal(packet.to, vector.to_peer_id)
    assert.equal(packet.type, vector.packet_type)
    assert.equal(packet.flags, vector.flags)
    assert.equal(packet.forwards, vector.forward_counter)
    assert.equal(packet.plainLength, vector.len)
    const again = encodePacket(packet, new Uint8Array(vector.len)).subarray(0, 16)
    again[11] = vector.reserved
    equalBytes(again, bytes.subarray(0, 16), vector.bytes.slice(0, 32))
  }
})

test('what a sender leaves out is the default, and ids use all 32 bits', () => {
  const packet = encodePacket(
    { from: 0xfffefdfc, to: 0x80000001, type: packetTypes.data },
    Uint8Array.of(7, 8, 9),
  )
  assert.is(hexOf(packet), 'fcfdfeff010000800100010003000000070809')
  const flagged = encodePacket({ from: 1, to: 2, type: 11, flags: 0x5f, forwards: 7 }, new Uint8Array(0))
  assert.is(hexOf(flagged), '01000000020000000b5f070000000000')
})

test('a header that is cut is none, at every length', () => {
  const packet = encodePacket({ from: 1, to: 2, type: 4 }, new Uint8Array(0))
  for (let length = 0; length < 16; length++) assert.is(decodePacket(packet.subarray(0, length)), undefined)
  assert.is(decodePacket(packet)?.payload.length, 0)
})

test('a packet inside a larger buffer is read from its own place', () => {
  const buffer = unhex(`ffffffff${hexOf(encodePing(5, 6, 0x01020304))}`)
  const packet = decodePacket(buffer.subarray(4))
  assert.equal([packet?.from, packet && sequenceOf(packet)], [5, 0x01020304])
})

test('the answer to a recorded ping is the recorded pong', () => {
  const { ping } = readVectors<{
    readonly ping: readonly { readonly bytes: string; readonly sequence: number }[]
  }>('packets')
  const pongs = new Set(ping.filter(({ bytes }) => bytes.slice(16, 18) === '05').map(({ bytes }) => bytes))
  const answered = ping.filter(({ bytes }) => pongs.has(hexOf(encodePong(unhex(bytes)))))
  assert.ok(pongs.size >= 4, `${pongs.size} pongs`)
  assert.ok(answered.filter(({ bytes }) => bytes.slice(16, 18) === '04').length >= pongs.size)
  for (const { bytes, sequence } of ping) {
    const packet = decodePacket(unhex(bytes))
    assert.is(packet && sequenceOf(packet), sequence)
  }
})

test('a ping is written as the real program writes it, and a cut one has no sequence', () => {
  const ping = encodePing(0x503ffdce, 0xdba61261, 0)
  assert.is(hexOf(ping), 'cefd3f506112a6db040001000400000000000000')
  encodePong(ping)
  assert.is(ping[8], packetTypes.ping, 'a pong is a copy')
  const cut = decodePacket(ping.subarray(0, 19))
  assert.is(cut && sequenceOf(cut), undefined)
})

test.run()
