import { viewOf } from '@lantern-room/base/bytes'
import { addWords, decodeIpv4, encodeIpv4, type Ipv4Packet } from '#internal/easytier/ip/ipv4'
import { parseIpv4 } from '#internal/easytier/wire/addresses'
import { hexOf, type Ipv4Vector, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { recordedIpPackets } from './recordedIpPackets'

const test = suite('easytier: IPv4')

test('every recorded IP packet is read', () => {
  const recorded = recordedIpPackets()
  assert.ok(recorded.length > 20, `${recorded.length} packets`)
  for (const { at, bytes, ipv4 } of recorded) {
    const packet = decodeIpv4(bytes)
    assert.ok(packet, at)
    assert.equal(headerOf(packet), headerOfVector(ipv4), at)
  }
})

test('the size of fragments is rounded to eight bytes', () => {
  const packets = encodeIpv4({ source: 1, target: 2, protocol: 17, id: 3 }, noise(100), 47).map((bytes) =>
    decodeIpv4(bytes),
  )
  assert.equal(
    packets.map((packet) => [packet?.offset, packet?.payload.length, packet?.hasMore]),
    [
      [0, 40, true],
      [40, 40, true],
      [80, 20, false],
    ],
  )
})

test('a packet that is cut anywhere is none', () => {
  const [bytes] = encodeIpv4({ source: 1, target: 2, protocol: 6, id: 0 }, noise(30))
  assert.ok(bytes)
  for (let length = 0; length < bytes.length; length++)
    assert.is(decodeIpv4(bytes.subarray(0, length)), undefined)
})

test('options are skipped, what lies behind the packet is left out', () => {
  const withOptions = unhex(
    '460000 1c 00000000 4011 0000 01020304 05060708 00000000 01020304'.replaceAll(' ', ''),
  )
  const sum = (0xffff - (addWords(viewOf(withOptions), 0, 0, 24) % 0xffff)) & 0xffff
  withOptions.set([sum >> 8, sum & 255], 10)
  assert.is(hexOf(decodeIpv4(withOptions)?.payload ?? new Uint8Array(0)), '01020304')
  const [bytes] = encodeIpv4({ source: 1, target: 2, protocol: 6, id: 0 }, noise(5))
  assert.is(decodeIpv4(unhex(`${hexOf(bytes ?? new Uint8Array(0))}ffff`))?.payload.length, 5)
})

function headerOf(packet: Ipv4Packet) {
  const { payload, ...rest } = packet
  return { ...rest, size: payload.length }
}

function headerOfVector(ipv4: Ipv4Vector) {
  return {
    source: parseIpv4(ipv4.src),
    target: parseIpv4(ipv4.dst),
    protocol: ipv4.protocol,
    id: ipv4.id,
    offset: ipv4.fragment_offset_bytes,
    hasMore: ipv4.more_fragments,
    size: ipv4.total_length - ipv4.header_bytes,
  }
}

test.run()
