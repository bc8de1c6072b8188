import * as assert from 'uvu/assert'
import { addWords } from '#core/easytier/ip/checksum'
import { decodeIpv4, encodeIpv4, type Ipv4Packet } from '#core/easytier/ip/ipv4'
import { createReassembly } from '#core/easytier/ip/reassembly'
import { decodeUdp, encodeUdp, MAX_UDP_DATA } from '#core/easytier/ip/udp'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import {
  everyPacket,
  hexOf,
  type Ipv4Vector,
  type PacketVector,
  readVectors,
  unhex,
} from '#support/network/easytierVectors'
import { suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: IPv4 and UDP')

const plainOf = (packet: PacketVector) =>
  unhex(packet.compressed?.plaintext ?? packet.sealed?.plaintext ?? '')
const recorded = everyPacket().flatMap(({ at, packet }) =>
  packet.ipv4 ? { at, bytes: plainOf(packet), ipv4: packet.ipv4 } : [],
)

test('every recorded IP packet is read', () => {
  assert.ok(recorded.length > 70, `${recorded.length} packets`)
  for (const { at, bytes, ipv4 } of recorded) {
    const packet = decodeIpv4(bytes)
    assert.ok(packet, at)
    assert.equal(headerOf(packet), headerOfVector(ipv4), at)
  }
})

test('recorded datagrams are read, and written again the same but for flags and time to live', () => {
  const whole = recorded.filter(({ ipv4 }) => ipv4.udp && !ipv4.more_fragments)
  assert.ok(whole.length >= 8, `${whole.length} datagrams`)
  for (const { at, bytes, ipv4 } of whole) {
    const packet = decodeIpv4(bytes)
    const datagram = packet && decodeUdp(packet)
    assert.ok(datagram, at)
    assert.is(datagram.sourcePort, ipv4.udp?.src_port)
    assert.is(datagram.targetPort, ipv4.udp?.dst_port)
    assert.is(hexOf(datagram.data), ipv4.udp?.data)
    const [again] = encodeUdp({ ...packet, ...datagram }, datagram.data)
    assert.ok(again)
    // Those two are the sender's own business, and the header's checksum follows them.
    const same = (from: number, to: number) =>
      assert.is(hexOf(again.subarray(from, to)), hexOf(bytes.subarray(from, to)), at)
    same(0, 6)
    same(9, 10)
    same(12, bytes.length)
    if (!ipv4.dont_fragment && ipv4.ttl === 64) equalBytes(again, bytes)
  }
})

test('recorded fragments are joined in any order to what the sender sent', () => {
  const { groups } = readVectors<{
    readonly groups: readonly { readonly name: string; readonly packets: readonly PacketVector[] }[]
  }>('ipdata')
  let joined = 0
  for (const { name, packets } of groups)
    for (const order of [packets, [...packets].reverse()]) {
      const reassembly = createReassembly()
      const datagrams = order.flatMap((vector) => {
        const packet = vector.ipv4?.protocol === 17 ? decodeIpv4(plainOf(vector)) : undefined
        const whole = packet && reassembly.add(packet, 0)
        const datagram = whole && decodeUdp(whole)
        return datagram && vector.ipv4?.fragment_offset_bytes !== undefined ? datagram : []
      })
      const large = datagrams.filter(({ data }) => data.length === 3000)
      joined += large.length
      if (large.length > 0) assert.is(reassembly.size, 0, name)
    }
  assert.is(joined, 8)
})

const to = { source: 0x0a909002, sourcePort: 40000, target: 0x0a909001, targetPort: 25565, id: 0xfffe }

for (const size of [0, 1, 1272, 1273, 3000, MAX_UDP_DATA])
  test(`${size} bytes come back through fragments, backwards too`, () => {
    const packets = encodeUdp(to, noise(size))
    assert.is(packets.length, Math.ceil((size + 8) / 1280))
    assert.ok(packets.every((packet) => packet.length <= 1300))
    const reassembly = createReassembly()
    const whole = [...packets].reverse().flatMap((bytes) => {
      const packet = decodeIpv4(bytes)
      assert.ok(packet)
      return reassembly.add(packet, 0) ?? []
    })
    assert.is(whole.length, 1)
    const datagram = whole[0] && decodeUdp(whole[0])
    equalBytes(datagram?.data ?? new Uint8Array(0), noise(size))
    assert.is(datagram?.sourcePort, 40000)
    assert.is(datagram?.targetPort, 25565)
    assert.is(reassembly.size, 0)
  })

test('a datagram beyond what IP carries is refused', () => {
  assert.throws(() => encodeUdp(to, new Uint8Array(MAX_UDP_DATA + 1)), /65508/)
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
  const [bytes] = encodeUdp(to, noise(30))
  assert.ok(bytes)
  for (let length = 0; length < bytes.length; length++)
    assert.is(decodeIpv4(bytes.subarray(0, length)), undefined)
})

test('a packet with any bit changed is none, or no datagram', () => {
  const [bytes] = encodeUdp(to, noise(30))
  assert.ok(bytes)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice()
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const packet = decodeIpv4(changed)
    assert.is(packet && decodeUdp(packet), undefined, `bit ${bit}`)
  }
})

test('options are skipped, what lies behind the packet is left out', () => {
  const withOptions = unhex(
    '460000 1c 00000000 4011 0000 01020304 05060708 00000000 01020304'.replaceAll(' ', ''),
  )
  const sum = (0xffff - (addWords(withOptions, 0, 0, 24) % 0xffff)) & 0xffff
  withOptions.set([sum >> 8, sum & 255], 10)
  assert.is(hexOf(decodeIpv4(withOptions)?.payload ?? new Uint8Array(0)), '01020304')
  const [bytes] = encodeIpv4({ source: 1, target: 2, protocol: 6, id: 0 }, noise(5))
  assert.is(decodeIpv4(unhex(`${hexOf(bytes ?? new Uint8Array(0))}ffff`))?.payload.length, 5)
})

test('a datagram may have no checksum, and its length may be less than the packet', () => {
  const packet: Ipv4Packet = {
    source: 1,
    target: 2,
    protocol: 17,
    id: 0,
    offset: 0,
    hasMore: false,
    timeToLive: 64,
    payload: unhex('000100020009000041ffff'),
  }
  assert.is(hexOf(decodeUdp(packet)?.data ?? new Uint8Array(0)), '41')
  assert.is(decodeUdp({ ...packet, payload: unhex('0001000200070000') }), undefined)
  assert.is(decodeUdp({ ...packet, payload: unhex('0001000200090000') }), undefined)
  assert.is(decodeUdp({ ...packet, protocol: 6 }), undefined)
  assert.is(decodeUdp({ ...packet, hasMore: true }), undefined)
})

const part = (offset: number, size: number, hasMore: boolean, from = 1, id = 7): Ipv4Packet => ({
  source: from,
  target: 2,
  protocol: 17,
  id,
  offset,
  hasMore,
  timeToLive: 64,
  payload: noise(size),
})

test('fragments that come twice are left out, those that overlap end the packet', () => {
  const reassembly = createReassembly()
  reassembly.add(part(0, 16, true), 0)
  reassembly.add(part(0, 16, true), 0)
  assert.is(reassembly.size, 1)
  assert.is(reassembly.add(part(8, 16, true), 0), undefined)
  assert.is(reassembly.size, 0)
})

test('fragments beyond the end, two ends, and impossible sizes are no packet', () => {
  for (const parts of [
    [part(8, 8, false), part(16, 8, true)],
    [part(8, 8, false), part(16, 8, false)],
    [part(24, 8, true), part(8, 8, false)],
  ]) {
    const reassembly = createReassembly()
    for (const each of parts) assert.is(reassembly.add(each, 0), undefined)
    assert.is(reassembly.size, 0)
  }
  const reassembly = createReassembly()
  for (const each of [part(0, 0, true), part(0, 9, true), part(65_512, 8, false)])
    assert.is(reassembly.add(each, 0), undefined)
  assert.is(reassembly.size, 0)
})

test('a packet in too many fragments is given up', () => {
  const reassembly = createReassembly()
  for (let i = 0; i < 128; i++) reassembly.add(part(i * 8, 8, true), 0)
  assert.is(reassembly.size, 1)
  reassembly.add(part(128 * 8, 8, true), 0)
  assert.is(reassembly.size, 0)
})

test('a source that starts many packets loses its own, and none waits for ever', () => {
  const reassembly = createReassembly({ maxAgeMs: 100, maxOpen: 4, maxOpenPerSource: 2 })
  reassembly.add(part(0, 8, true, 1), 0)
  for (let id = 0; id < 50; id++) reassembly.add(part(0, 8, true, 9, id), 1)
  assert.is(reassembly.size, 3)
  assert.is(reassembly.add(part(8, 8, false, 1), 1)?.payload.length, 16)
  for (let from = 20; from < 60; from++) reassembly.add(part(0, 8, true, from), 2)
  assert.is(reassembly.size, 4)
  reassembly.expire(101)
  assert.is(reassembly.size, 4)
  reassembly.expire(102)
  assert.is(reassembly.size, 0)
})

test.run()

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
    timeToLive: ipv4.ttl,
    size: ipv4.total_length - ipv4.header_bytes,
  }
}
