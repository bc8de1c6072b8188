import type { DatagramFlow } from '@lantern-room/base/bytes'
import { createDatagramLayer } from '#internal/easytier/ip/datagramLayer'
import { decodeIpv4 } from '#internal/easytier/ip/ipv4'
import { createReassembly } from '#internal/easytier/ip/reassembly'
import { decodeUdp, encodeUdp } from '#internal/easytier/ip/udp'
import { createFakeClock, isSettled } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { noise } from '#support/values/bytes'
import { equalBytes } from '#support/values/equalBytes'

const test = suite('easytier: datagrams between members', { setUp: start })

const OWN = 0x0a909001
const GUEST = { address: 0x0a909002, peerId: 7 }
const GAME = 25_565

function start() {
  const clock = createFakeClock()
  const reassembly = createReassembly()
  const sent: unknown[] = []
  const accepted: { flow: DatagramFlow; port: number; received: Uint8Array[] }[] = []
  const refused: string[] = []
  const ports = [40_000, 40_000, 40_001]
  const state = { ownAddress: OWN as number | undefined, packetSize: undefined as number | undefined }
  /** Of the packets on their way. */
  const packetSizes: number[] = []
  const layer = createDatagramLayer({
    clock,
    ownAddress: () => state.ownAddress,
    packetSizeTo: () => state.packetSize,
    randomPort: () => ports.shift() ?? 50_000,
    accepts: (port) => port === GAME,
    onFlow(flow, port) {
      const received: Uint8Array[] = []
      flow.onDatagram((bytes) => received.push(bytes))
      accepted.push({ flow, port, received })
    },
    onRefused: (what, peerId, denial) =>
      refused.push([what, ...(peerId === undefined ? [] : ['of', peerId]), denial].filter(Boolean).join(' ')),
    send(peerId, bytes, isAnswer) {
      packetSizes.push(bytes.length)
      const part = decodeIpv4(bytes)
      const packet = part && reassembly.add(part, 0, 1)
      const datagram = packet && decodeUdp(packet)
      if (!datagram) return
      const { source, target, id } = packet
      const { sourcePort, targetPort, data } = datagram
      sent.push([peerId, isAnswer, id, source, sourcePort, target, targetPort, data.length])
    },
  })
  /** A datagram of the guest. */
  const arrive = (
    data: Uint8Array,
    to: { port?: number; from?: number; target?: number; peerId?: number } = {},
  ) => {
    const { port = GAME, from = 5000, target = OWN, peerId = GUEST.peerId } = to
    const ends = { source: GUEST.address, sourcePort: from, target, targetPort: port, id: 1 }
    for (const packet of encodeUdp(ends, data)) layer.receive(packet, peerId)
  }
  return { clock, layer, arrive, sent, packetSizes, accepted, refused, state }
}

test('fragments are no larger than what reaches the member', ({ layer, sent, packetSizes, state }) => {
  const flow = layer.open({ peerId: GUEST.peerId, address: GUEST.address, port: GAME })
  flow.send(noise(1200))
  state.packetSize = 496
  flow.send(noise(1200))
  assert.equal(packetSizes, [1180, 68, 492, 492, 284])
  assert.is(sent.length, 2)
})

test('datagrams from one port are one flow, whose answers go back to it', ({ arrive, accepted, sent }) => {
  arrive(noise(3))
  arrive(noise(3000))
  arrive(noise(1), { from: 5001 })
  assert.equal(
    accepted.map(({ port, received }) => [port, received.map(({ length }) => length)]),
    [
      [GAME, [3, 3000]],
      [GAME, [1]],
    ],
  )
  equalBytes(accepted[0]?.received[1] ?? new Uint8Array(0), noise(3000))
  accepted[1]?.flow.send(noise(2))
  accepted[0]?.flow.send(noise(4))
  assert.equal(sent, [
    [GUEST.peerId, true, 1, OWN, GAME, GUEST.address, 5001, 2],
    [GUEST.peerId, true, 2, OWN, GAME, GUEST.address, 5000, 4],
  ])
})

test('datagrams to other ports or addresses, cut ones, and all while we have no address, are dropped', () => {
  const { layer, arrive, accepted, state } = start()
  arrive(noise(3), { port: GAME + 1 })
  arrive(noise(3), { target: OWN + 1 })
  const ends = { source: GUEST.address, sourcePort: 1, target: OWN, targetPort: GAME, id: 1 }
  const [packet = new Uint8Array(0)] = encodeUdp(ends, noise(9))
  for (let end = 0; end < packet.length; end++) layer.receive(packet.subarray(0, end), GUEST.peerId)
  state.ownAddress = undefined
  arrive(noise(3))
  assert.equal(accepted, [])
})

test('a flow that we open has a port of its own, and receives only from the member and port that it was opened to', () => {
  const { layer, arrive, accepted, sent } = start()
  const flows = [1, 2].map(() => layer.open({ ...GUEST, port: 5000 }))
  const received: number[] = []
  flows[1]?.onDatagram(({ length }) => received.push(length))
  flows[1]?.send(noise(5))
  arrive(noise(6), { port: 40_001 })
  arrive(noise(7), { port: 40_000 })
  arrive(noise(8), { port: 40_001, from: 5001 })
  assert.equal(received, [6])
  assert.equal(sent, [[GUEST.peerId, false, 1, OWN, 40_001, GUEST.address, 5000, 5]])
  assert.equal(accepted, [])
})

test('the largest datagram is sent, one byte more is not, and none while we have no address', () => {
  const { layer, sent, state } = start()
  const flow = layer.open({ ...GUEST, port: 5000 })
  flow.send(noise(65_508))
  flow.send(noise(65_507))
  state.ownAddress = undefined
  flow.send(noise(1))
  assert.equal(sent, [[GUEST.peerId, false, 1, OWN, 40_000, GUEST.address, 5000, 65_507]])
})

test('flows end when idle: accepted ones after 3 minutes, ours after 10, both since the last datagram', async () => {
  const { clock, layer, arrive, accepted } = start()
  const ours = layer.open({ ...GUEST, port: 5000 })
  arrive(noise(1))
  await clock.advance(100_000)
  arrive(noise(1))
  const states = async (afterMs: number) => {
    await clock.advance(afterMs)
    layer.open({ ...GUEST, port: 1 }).close()
    const [theirs] = accepted
    return [theirs && (await isSettled(theirs.flow.closed)), await isSettled(ours.closed)]
  }
  assert.equal(await states(179_999), [false, false])
  assert.equal(await states(1), [true, false])
  assert.equal(await states(319_999), [true, false])
  assert.equal(await states(1), [true, true])
  arrive(noise(1))
  assert.is(accepted.length, 2, 'a new one')
})

test('a closed flow sends nothing, also where another one has its ports', async () => {
  const { layer, arrive, sent, accepted } = start()
  arrive(noise(1))
  const { flow } = accepted[0] ?? {}
  flow?.close()
  flow?.send(noise(1))
  assert.equal(sent, [])
  arrive(noise(1))
  assert.is(accepted.length, 2)
  flow?.send(noise(1))
  assert.equal(sent, [])
  accepted[1]?.flow.send(noise(1))
  assert.is(sent.length, 1)
  layer.close()
})

test('512 flows of members; those beyond are refused, and closing the layer closes all', async () => {
  const { layer, arrive, accepted, refused } = start()
  for (let peerId = 1; peerId <= 513; peerId++) arrive(noise(1), { peerId })
  assert.equal([accepted.length, refused], [512, ['UDP flows of 513 full']])
  accepted[0]?.flow.close()
  arrive(noise(1), { peerId: 2000 })
  assert.equal([accepted.length, refused.length], [513, 1])
  layer.close()
  for (const { flow } of accepted) await flow.closed
})

test('1,024 UDP flows of our own: one more hears nothing and sends nothing, and a place that is left can be taken', () => {
  const { layer, refused, sent } = start()
  const open = (port: number) => layer.open({ ...GUEST, port })
  const flows = Array.from({ length: 1024 }, (_, at) => open(1 + at))
  assert.equal(refused, [])
  open(2000).send(noise(1))
  assert.equal([sent, refused], [[], ['UDP flows']])
  flows[0]?.close()
  open(2000).send(noise(1))
  assert.equal([sent.length, refused.length], [1, 1])
  layer.close()
})

test('a member has 64 flows; when 512 are taken a newcomer gets the newest of a member with many', async () => {
  const { arrive, accepted, refused } = start()
  for (let from = 1; from <= 66; from += 1) arrive(noise(1), { from })
  assert.equal([accepted.length, refused], [64, ['UDP flows of 7 refused', 'UDP flows of 7 refused']])
  for (let peerId = 10; peerId < 17; peerId += 1)
    for (let from = 1; from <= 64; from += 1) arrive(noise(1), { from, peerId })
  assert.is(accepted.length, 512)
  arrive(noise(1), { peerId: 99 })
  assert.equal([accepted.length, accepted.at(-1)?.received.length], [513, 1])
  assert.equal(refused.slice(2), ['UDP flows of 7 withdrawn'])
  const newestOfFirst = accepted[63]?.flow
  assert.ok(newestOfFirst && (await isSettled(newestOfFirst.closed)))
})

test.run()
