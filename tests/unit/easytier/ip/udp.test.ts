import { decodeIpv4, type Ipv4Packet, LARGE_FRAGMENT_PAYLOAD } from '#internal/easytier/ip/ipv4'
import { createReassembly } from '#internal/easytier/ip/reassembly'
import { decodeUdp, encodeUdp, MAX_UDP_DATA } from '#internal/easytier/ip/udp'
import { MAX_PATH_PAYLOAD } from '#internal/easytier/wire/packet'
import { hexOf, unhex } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { noise, withBitChanged } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'
import { recordedIpPackets } from './recordedIpPackets'

const test = suite('easytier: UDP in IPv4')

const to = { source: 0x0a909002, sourcePort: 40000, target: 0x0a909001, targetPort: 25565, id: 0xfffe }

test('recorded datagrams are read, and written again the same but for flags and time to live', () => {
  const whole = recordedIpPackets().filter(({ ipv4 }) => ipv4.udp && !ipv4.more_fragments)
  assert.ok(whole.length >= 8, `${whole.length} datagrams`)
  for (const { at, bytes, ipv4 } of whole) {
    const packet = decodeIpv4(bytes)
    const datagram = packet && decodeUdp(packet)
    assert.ok(datagram, at)
    const read = [datagram.sourcePort, datagram.targetPort, hexOf(datagram.data)]
    assert.equal(read, [ipv4.udp?.src_port, ipv4.udp?.dst_port, ipv4.udp?.data])
    const [again] = encodeUdp({ ...packet, ...datagram }, datagram.data, LARGE_FRAGMENT_PAYLOAD)
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

for (const size of [0, 1, 1152, 1153, 3000, MAX_UDP_DATA])
  test(`${size} bytes come back through fragments, backwards too`, () => {
    const packets = encodeUdp(to, noise(size))
    assert.is(packets.length, Math.ceil((size + 8) / 1160))
    assert.ok(packets.every((packet) => packet.length <= MAX_PATH_PAYLOAD))
    const reassembly = createReassembly()
    const whole = [...packets].reverse().flatMap((bytes) => {
      const packet = decodeIpv4(bytes)
      assert.ok(packet)
      return reassembly.add(packet, 0, 1) ?? []
    })
    assert.is(whole.length, 1)
    const datagram = whole[0] && decodeUdp(whole[0])
    equalBytes(datagram?.data ?? new Uint8Array(0), noise(size))
    assert.equal([datagram?.sourcePort, datagram?.targetPort, reassembly.size], [40000, 25565, 0])
  })

test('a datagram beyond what IP carries is refused', () => {
  assert.throws(() => encodeUdp(to, new Uint8Array(MAX_UDP_DATA + 1)), /65508/)
})

test('a packet with any bit changed is none, or no datagram', () => {
  const [bytes] = encodeUdp(to, noise(30))
  assert.ok(bytes)
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const packet = decodeIpv4(withBitChanged(bytes, bit))
    assert.is(packet && decodeUdp(packet), undefined, `bit ${bit}`)
  }
})

test('a datagram may have no checksum, and its length may be less than the packet', () => {
  const packet: Ipv4Packet = {
    source: 1,
    target: 2,
    protocol: 17,
    id: 0,
    offset: 0,
    hasMore: false,
    payload: unhex('000100020009000041ffff'),
  }
  assert.is(hexOf(decodeUdp(packet)?.data ?? new Uint8Array(0)), '41')
  for (const payload of ['0001000200070000', '0001000200090000'])
    assert.is(decodeUdp({ ...packet, payload: unhex(payload) }), undefined)
  assert.is(decodeUdp({ ...packet, protocol: 6 }), undefined)
  assert.is(decodeUdp({ ...packet, hasMore: true }), undefined)
})

test.run()
