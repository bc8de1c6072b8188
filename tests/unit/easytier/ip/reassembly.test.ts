import { MAX_AGE_MS, MAX_OPEN } from '#internal/easytier/boundedParts'
import { decodeIpv4, type Ipv4Packet } from '#internal/easytier/ip/ipv4'
import { createReassembly } from '#internal/easytier/ip/reassembly'
import { decodeUdp } from '#internal/easytier/ip/udp'
import { type PacketVector, plainTextOf, readVectors } from '#support/network/easytierVectors'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'

const test = suite('easytier: reassembly of IPv4 packets', { setUp: createReassembly })

test('recorded fragments are joined in any order to what the sender sent', () => {
  const { groups } = readVectors<{
    readonly groups: readonly { readonly name: string; readonly packets: readonly PacketVector[] }[]
  }>('ipdata')
  let joined = 0
  for (const { name, packets } of groups)
    for (const order of [packets, [...packets].reverse()]) {
      const reassembly = createReassembly()
      const datagrams = order.flatMap((vector) => {
        const packet = vector.ipv4?.protocol === 17 ? decodeIpv4(plainTextOf(vector)) : undefined
        const whole = packet && reassembly.add(packet, 0, 1)
        const datagram = whole && decodeUdp(whole)
        return datagram && vector.ipv4?.fragment_offset_bytes !== undefined ? datagram : []
      })
      const large = datagrams.filter(({ data }) => data.length === 3000)
      joined += large.length
      if (large.length > 0) assert.is(reassembly.size, 0, name)
    }
  assert.is(joined, 8)
})

const part = (offset: number, size: number, hasMore: boolean, source = 1, id = 7): Ipv4Packet => ({
  source,
  target: 2,
  protocol: 17,
  id,
  offset,
  hasMore,
  payload: noise(size),
})

test('fragments that come twice are left out, those that overlap end the packet', (reassembly) => {
  reassembly.add(part(0, 16, true), 0, 1)
  reassembly.add(part(0, 16, true), 0, 1)
  assert.equal([reassembly.size, reassembly.add(part(8, 16, true), 0, 1), reassembly.size], [1, undefined, 0])
})

test('a member that sends first fragments in 32 other names leaves those of others their places', (reassembly) => {
  reassembly.add(part(0, 16, true), 0, 1)
  for (let id = 0; id < 20; id += 1)
    for (let made = 100; made < 132; made += 1) reassembly.add(part(0, 16, true, made, id), 0, made)
  assert.is(reassembly.size, MAX_OPEN)
  assert.is(reassembly.add(part(16, 8, false), 0, 1)?.payload.length, 24)
})

test('fragments beyond the end, two ends, and impossible sizes are no packet', () => {
  for (const parts of [
    [part(8, 8, false), part(16, 8, true)],
    [part(8, 8, false), part(16, 8, false)],
    [part(24, 8, true), part(8, 8, false)],
  ]) {
    const reassembly = createReassembly()
    for (const each of parts) assert.is(reassembly.add(each, 0, 1), undefined)
    assert.is(reassembly.size, 0)
  }
  const reassembly = createReassembly()
  for (const each of [part(0, 0, true), part(0, 9, true), part(65_512, 8, false)])
    assert.is(reassembly.add(each, 0, 1), undefined)
  assert.is(reassembly.size, 0)
})

test('a packet in too many fragments is given up', (reassembly) => {
  for (let i = 0; i < 144; i++) reassembly.add(part(i * 8, 8, true), 0, 1)
  assert.is(reassembly.size, 1)
  reassembly.add(part(144 * 8, 8, true), 0, 1)
  assert.is(reassembly.size, 0)
})

test('a member that starts many packets loses its own, and none waits for ever', (reassembly) => {
  reassembly.add(part(0, 8, true, 1), 0, 1)
  for (let id = 0; id < 100; id++) reassembly.add(part(0, 8, true, 1, id), 1, 9)
  assert.is(reassembly.add(part(8, 8, false, 1), 1, 1)?.payload.length, 16)
  assert.is(reassembly.size, MAX_OPEN - 1)
  reassembly.add(part(0, 8, true, 1), MAX_AGE_MS + 1, 1)
  assert.is(reassembly.size, 1)
})

test.run()
