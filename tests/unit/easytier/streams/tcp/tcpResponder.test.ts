import { decodeIpv4, encodeIpv4, type Ipv4Packet } from '#core/easytier/ip/ipv4'
import { createByteStream } from '#core/easytier/streams/byteStream'
import type { TcpHandle } from '#core/easytier/streams/tcp/tcpConnection'
import { createTcpResponder } from '#core/easytier/streams/tcp/tcpResponder'
import { decodeTcp, encodeTcp, type TcpSegment, tcpFlags } from '#core/easytier/streams/tcp/tcpSegment'
import {
  hexOf,
  type Ipv4Vector,
  type PacketVector,
  readVectors,
  unhex,
} from '#support/network/easytierVectors'
import { createSimulation } from '#support/network/link'
import { plainTextOf } from '#support/network/recordedIpPackets'
import { assert, suite } from '#support/runner/suite'
import { withBitChanged } from '#support/values/bytes'
import { SYN } from './tcpSyn'

const test = suite('easytier: TCP responder')

type TcpVector = {
  readonly src_port: number
  readonly dst_port: number
  readonly seq: number
  readonly ack: number
  readonly flags: number
  readonly window: number
  readonly options: string
  readonly data: string
}
type RecordedPacket = PacketVector & {
  readonly t_ms: number
  readonly from: string
  readonly ipv4: Ipv4Vector & { readonly tcp?: TcpVector }
}

const groups = readVectors<{
  readonly groups: readonly { readonly name: string; readonly packets: readonly RecordedPacket[] }[]
}>('ipdata').groups.filter(({ name }) => name.startsWith('raw tcp'))

/** A responder that accepts all, unless the test says otherwise, and the last stream that it accepted. */
function respond(options: Partial<Parameters<typeof createTcpResponder>[0]>) {
  const found: { handle?: TcpHandle } = {}
  const responder = createTcpResponder({
    accepts: () => true,
    onStream: (handle) => void Object.assign(found, { handle }),
    random32: () => 1,
    wake() {},
    send() {},
    ...options,
  })
  return { responder, found }
}

/** The recorded packets by which two hosts said the same: data in the order of its numbers, each piece once. */
const joined = (pieces: readonly (readonly [sequence: number, hex: string])[]) =>
  [...new Map(pieces)]
    .sort(([a], [b]) => a - b)
    .map(([, hex]) => hex)
    .join('')

test('every recorded segment is read, and written again byte for byte but for options that we do not use', () => {
  let count = 0
  for (const packet of groups.flatMap((group) => group.packets)) {
    const ip = decodeIpv4(plainTextOf(packet))
    const { tcp } = packet.ipv4
    if (!tcp) continue
    assert.ok(ip)
    const segment = decodeTcp(ip.payload, ip)
    assert.ok(segment)
    count += 1
    const { sourcePort, targetPort, sequence, acknowledged, flags, window } = segment
    const read = [sourcePort, targetPort, sequence, acknowledged, flags, window]
    assert.equal(read, [tcp.src_port, tcp.dst_port, tcp.seq, tcp.ack, tcp.flags, tcp.window])
    assert.is(hexOf(segment.data), tcp.data)
    if (tcp.options === '') assert.is(hexOf(encodeTcp(segment, ip)), hexOf(ip.payload))
    if (tcp.options === '020404dc0303020402000000')
      assert.equal([segment.maxSegment, segment.windowScale], [1244, 2])
  }
  assert.ok(count > 40, `${count} segments`)
})

test('damage is noticed, and cut segments are refused', () => {
  const [packet] = groups.flatMap((group) => group.packets)
  assert.ok(packet)
  const ip = decodeIpv4(plainTextOf(packet))
  assert.ok(ip)
  for (let at = 0; at < ip.payload.length; at++) {
    assert.is(decodeTcp(withBitChanged(ip.payload, at * 8), ip), undefined, `byte ${at}`)
    assert.is(decodeTcp(ip.payload.subarray(0, at), ip), undefined, `${at} bytes`)
  }
})

// A real host answers SYN|ACK even where nothing listens, and then nothing: we do not.
for (const { name, packets } of groups.filter((group) => !group.name.includes('nothing listens'))) {
  test(`${name}: as host we answer what was recorded`, async () => {
    const guest = packets.filter(({ from }) => from === 'real guest')
    const host = packets.filter(({ from }) => from !== 'real guest')
    const [syn] = guest
    const answer = host[0]?.ipv4.tcp
    assert.ok(syn && answer)
    const isRefused = (answer.flags & tcpFlags.rst) !== 0
    const sent: TcpSegment[] = []
    const received: Uint8Array[] = []
    const { responder, found } = respond({
      accepts: ({ address, port }) => address === 0x0a909001 && port !== 9,
      random32: () => answer.seq,
      send(_peer, bytes) {
        const ip = decodeIpv4(bytes)
        const segment = ip && decodeTcp(ip.payload, ip)
        assert.ok(segment)
        sent.push(segment)
      },
    })
    for (const packet of packets) {
      const bytes = plainTextOf(packet)
      if (packet.from === 'real guest') {
        const ip = decodeIpv4(bytes)
        assert.ok(ip)
        responder.receive(ip, 1, packet.t_ms)
      } else if (packet.ipv4.tcp?.data) found.handle?.write(unhex(packet.ipv4.tcp.data))
      for (let read = found.handle?.read(); read; read = found.handle?.read()) received.push(read)
      if (packet.ipv4.tcp && packet.from !== 'real guest' && packet.ipv4.tcp.flags & tcpFlags.fin)
        found.handle?.end()
      responder.tick(packet.t_ms)
    }
    const data = (side: readonly RecordedPacket[]) =>
      joined(side.map(({ ipv4 }) => [ipv4.tcp?.seq ?? 0, ipv4.tcp?.data ?? '']))
    if (!isRefused) {
      assert.is(hexOf(Buffer.concat(received)), data(guest))
      const ours = joined(sent.map((segment) => [segment.sequence, hexOf(segment.data)]))
      assert.is(ours, data(host.filter(({ ipv4 }) => ipv4.tcp?.data)))
      assert.ok(sent.every((segment) => segment.data.length <= 1240))
    }
    const [first] = sent
    assert.equal([first?.flags, first?.sequence, first?.acknowledged], [answer.flags, answer.seq, answer.ack])
    assert.is(
      sent.some(({ flags }) => flags & tcpFlags.fin),
      host.some(({ ipv4 }) => (ipv4.tcp?.flags ?? 0) & tcpFlags.fin),
    )
  })
}

test('bytes go both ways exactly over a line that loses, doubles and reorders', async () => {
  for (let seed = 1; seed <= 150; seed++) {
    const simulation = createSimulation(seed)
    const { random } = simulation
    const link = simulation.link({ delayMs: 5, jitterMs: 10, loss: random() * 0.15, duplication: 0.05 })
    const question = Uint8Array.from({ length: 1 + Math.floor(random() * 20_000) }, () => random() * 256)
    const reply = Uint8Array.from({ length: 1 + Math.floor(random() * 60_000) }, () => random() * 256)
    const got: Uint8Array[] = []
    const { responder, found } = respond({
      random32: () => 0xffffff00,
      send: (_peer, bytes) => link.send(bytes.length, () => client.receive(bytes)),
    })
    const client = createClient(question, (packet) =>
      link.send(packet.payload.length, () => responder.receive(packet, 1, simulation.now)),
    )
    let planned = -1
    let hasReplied = false
    const isDone = simulation.run(
      100_000,
      () => client.hasEnded(),
      () => {
        const { handle } = found
        for (let bytes = handle?.read(); bytes; bytes = handle?.read()) got.push(bytes)
        if (handle && !hasReplied && Buffer.concat(got).length === question.length) {
          hasReplied = true
          handle.write(reply)
          handle.end()
        }
        if (responder.nextDeadline() <= simulation.now) responder.tick(simulation.now)
        if (planned <= simulation.now) {
          planned = simulation.now + 20
          simulation.at(planned, () => client.resend())
        }
      },
    )
    assert.ok(isDone, `seed ${seed} hangs`)
    assert.ok(Buffer.concat(got).equals(question), `seed ${seed}`)
    assert.ok(Buffer.concat(client.received).equals(reply), `seed ${seed}`)
  }
})

test('connections are limited, half-open ones are forgotten, and closing breaks all', () => {
  const refused: (number | undefined)[] = []
  const onRefused = (peerId?: number) => void refused.push(peerId)
  const { responder } = respond({ limit: 3, limitPerPeer: 2, onRefused })
  for (const port of [1, 2, 3]) responder.receive(packetFrom(segment(port, { flags: tcpFlags.syn })), 1, 0)
  assert.equal([responder.count, refused], [2, [1]])
  for (const peerId of [2, 3]) responder.receive(packetFrom(segment(4, { flags: tcpFlags.syn })), peerId, 0)
  assert.equal([responder.count, refused], [3, [1, undefined]])
  for (let now = 0; now <= 10_001; now += 100) responder.tick(now)
  assert.equal([responder.count, responder.nextDeadline()], [0, Number.POSITIVE_INFINITY])
})

test('a reset in the window breaks the stream, one from elsewhere does not', async () => {
  const { responder, found } = respond({ random32: () => 99 })
  responder.receive(packetFrom(segment(5, { flags: tcpFlags.syn, sequence: 10 })), 1, 0)
  responder.receive(packetFrom(segment(5, { flags: tcpFlags.ack, sequence: 11, acknowledged: 100 })), 1, 1)
  const { handle } = found
  assert.ok(handle)
  const stream = createByteStream(handle)
  responder.receive(packetFrom(segment(5, { flags: tcpFlags.rst, sequence: 10_000_000 })), 1, 2)
  assert.is(handle.state, 'open')
  responder.receive(packetFrom(segment(5, { flags: tcpFlags.rst, sequence: 11 })), 1, 3)
  assert.is(handle.state, 'closed')
  assert.match(String(await stream.read().catch(String)), /broke/)
  await stream.closed
})

const ENDS = { source: 0x0a909002, target: 0x0a909001 }

function segment(sourcePort: number, fields: Partial<TcpSegment>): TcpSegment {
  return {
    ...SYN,
    sourcePort,
    targetPort: 25_565,
    sequence: 0,
    flags: tcpFlags.ack,
    window: 16_384,
    ...fields,
  }
}

function packetFrom(content: TcpSegment): Ipv4Packet {
  const [bytes] = encodeIpv4({ ...ENDS, protocol: 6, id: 1 }, encodeTcp(content, ENDS))
  const packet = bytes && decodeIpv4(bytes)
  assert.ok(packet)
  return packet
}

/** The other side, as simple as can be: says everything again and again until it is acknowledged. */
function createClient(question: Uint8Array, send: (packet: Ipv4Packet) => void) {
  const first = 0xfffffff0
  const early = new Map<number, { readonly data: Uint8Array; readonly isFin: boolean }>()
  const received: Uint8Array[] = []
  let acknowledged = -1
  let next: number | undefined
  let ended = false
  const say = (fields: Partial<TcpSegment>) =>
    send(packetFrom(segment(7, { acknowledged: next ?? 0, ...fields })))

  return {
    received,
    hasEnded: () => ended,
    resend() {
      if (next === undefined)
        return say({ flags: tcpFlags.syn, sequence: first, maxSegment: 1244, windowScale: 2 })
      const end = Math.min(question.length, acknowledged + 8000)
      for (let at = Math.max(0, acknowledged); at < end; at += 1000)
        say({ sequence: (first + 1 + at) >>> 0, data: question.subarray(at, at + 1000) })
      if (acknowledged >= question.length) say({ sequence: (first + 1 + question.length) >>> 0 })
    },
    receive(bytes: Uint8Array) {
      const ip = decodeIpv4(bytes)
      const heard = ip && decodeTcp(ip.payload, ip)
      assert.ok(heard)
      assert.not.ok(heard.flags & tcpFlags.rst)
      if (heard.flags & tcpFlags.syn) next ??= (heard.sequence + 1) >>> 0
      if (next === undefined) return
      acknowledged = Math.max(acknowledged, (heard.acknowledged - first - 1) | 0)
      const isFin = (heard.flags & tcpFlags.fin) !== 0
      if (heard.data.length > 0 || isFin) early.set(heard.sequence, { data: heard.data, isFin })
      for (let piece = early.get(next); piece && !ended; piece = early.get(next)) {
        received.push(piece.data)
        next = (next + piece.data.length) >>> 0
        ended = piece.isFin
      }
      say({ sequence: (first + 1 + Math.max(0, acknowledged)) >>> 0 })
    },
  }
}
