import type { StreamHandle } from '#internal/easytier/streams/byteStream'
import { kcpCommands } from '#internal/easytier/streams/kcp/segments'
import {
  decodeStreamPacket,
  decodeStreamRoute,
  encodeStreamPacket,
  encodeStreamRoute,
  type StreamPacket,
  streamFlags,
} from '#internal/easytier/streams/streamPacket'
import { Streams } from '#internal/easytier/streams/streams'
import { packetTypes } from '#internal/easytier/wire/packet'
import { hexOf, type PacketVector, plainTextOf, readVectors, unhex } from '#support/network/easytierVectors'
import { settle } from '#support/network/fakeClock'
import { assert, suite } from '#support/runner/suite'
import { each } from '#support/values/each'
import { decodeSegments, encodeSegments, type KcpSegment } from './kcpSegments'

/** What real and our peers said to each other on streams, packet by packet. */

const test = suite('easytier: recorded streams')

type SegmentVector = {
  readonly cmd: number
  readonly wnd: number
  readonly ts: number
  readonly sn: number
  readonly una: number
  readonly len: number
  readonly data: string
}
type RecordedPacket = PacketVector & {
  readonly t_ms: number
  readonly name: string
  readonly kcp: {
    readonly conv: number
    readonly src_session: number
    readonly dst_session: number
    readonly flags: number
    readonly segments?: readonly SegmentVector[]
    readonly conn_data?: { readonly dst: { readonly ipv4: { readonly addr: number }; readonly port: number } }
    readonly rest?: string
  }
}

const { groups } = readVectors<{
  readonly groups: readonly { readonly name: string; readonly packets: readonly RecordedPacket[] }[]
}>('kcp')
const packets = groups.flatMap((group) => group.packets)
const bodyOf = (packet: PacketVector) => decodeStreamPacket(plainTextOf(packet))?.body ?? new Uint8Array(0)

/** The fields of a recorded segment by our names. */
const segmentOf =
  (conv: number) =>
  ({ cmd: command, wnd: window, ts: timestamp, sn: sequence, una: unacknowledged, data }: SegmentVector) => {
    return { conv, command, window, timestamp, sequence, unacknowledged, data }
  }

test('every recorded packet is read, and written again byte for byte', () => {
  assert.is(packets.length, 191)
  for (const { name, kcp, ...packet } of packets) {
    const bytes = plainTextOf(packet)
    const read = decodeStreamPacket(bytes)
    assert.ok(read, name)
    const { conv, src_session: source, dst_session: destination, flags } = kcp
    const { body: _, ...header } = read
    assert.equal(header, { conv, source, destination, flags })
    assert.is(hexOf(encodeStreamPacket(read)), hexOf(bytes))
  }
})

test('every recorded segment is read, and written again byte for byte', () => {
  let count = 0
  for (const { kcp, ...packet } of packets) {
    const body = bodyOf(packet)
    if (!kcp.segments || kcp.rest) continue
    const segments = decodeSegments(body)
    assert.ok(segments)
    count += segments.length
    const read = segments.map(({ data, ...header }) => ({ ...header, data: hexOf(data) }))
    assert.equal(read, kcp.segments.map(segmentOf(kcp.conv)))
    assert.is(hexOf(encodeSegments(segments)), hexOf(body))
  }
  assert.ok(count > 140, `${count} segments`)
})

test('recorded segments that are cut, and bytes left over, are refused', () => {
  const bodies = packets.flatMap((packet) => (packet.kcp.segments?.length ? [bodyOf(packet)] : []))
  for (const body of bodies) {
    const ends = new Set([0])
    for (const { data } of decodeSegments(body) ?? []) ends.add(Math.max(...ends) + 24 + data.length)
    for (let end = 0; end < body.length; end++) {
      assert.is(decodeSegments(body.subarray(0, end)) !== undefined, ends.has(end), `${end}`)
    }
  }
  for (let end = 0; end < 14; end++) assert.is(decodeStreamPacket(new Uint8Array(end)), undefined)
})

test('recorded routes are read, and written again byte for byte', () => {
  const opened = packets.filter(({ kcp }) => kcp.conn_data)
  assert.ok(opened.length >= 9, `${opened.length} routes`)
  for (const { kcp, ...packet } of opened) {
    const body = bodyOf(packet)
    const route = decodeStreamRoute(body)
    assert.ok(route)
    const { ipv4, port } = kcp.conn_data?.dst ?? {}
    assert.equal(route.destination, { address: ipv4?.addr, port })
    assert.is(hexOf(encodeStreamRoute(route)), hexOf(body))
  }
  assert.is(decodeStreamRoute(unhex('ffffff')), undefined)
})

/** Every conversation that was opened, by its number. */
const conversations = [...new Set(packets.filter(({ kcp }) => kcp.conn_data).map(({ kcp }) => kcp.conv))]
/** Made by hand: segments out of order, and FIN after RST. It has a test of its own. */
const byHand = 268_435_463

for (const conv of conversations.filter((number) => number !== byHand)) {
  for (const role of ['opener', 'acceptor'] as const) {
    test(`conversation ${conv}: as ${role} we say what was recorded`, async () => {
      const recorded = packets.filter(({ kcp }) => kcp.conv === conv)
      const replay = await play(recorded, role)
      const isOurs = (packet: RecordedPacket) =>
        (packet.header.packet_type === packetTypes.kcpSource) === (role === 'opener')
      const ours = recorded.filter(isOurs)
      const theirs = recorded.filter((packet) => !isOurs(packet))
      const said = (wanted: readonly { readonly kcp: { readonly flags: number } }[], flags: number) =>
        wanted.some(({ kcp }) => kcp.flags === flags)

      const isRefused =
        said(role === 'opener' ? theirs : ours, streamFlags.fin) && pushedBy(acceptors(recorded)) === ''
      if (!isRefused) assert.is(hexOf(replay.received), pushedBy(theirs), 'what came')
      if (!isRefused) assert.is(hexOf(pushed(replay.sent)), pushedBy(ours), 'what we sent')
      const { syn, ack, fin, rst, ping, pong, data } = streamFlags
      for (const flags of [syn, syn | ack, fin, rst, ack | data]) {
        // What was sent to a refused stream the real side acknowledges after its FIN.
        if (isRefused && flags === (ack | data)) continue
        assert.is(said(replay.sent, flags), said(ours, flags), `whether we say ${flags}`)
      }
      const pings = theirs.filter(({ kcp }) => kcp.flags === ping).length
      assert.is(replay.sent.filter(({ kcp }) => kcp.flags === (ping | pong)).length, pings)
      // What comes in the same instant as the end needs no answer any more.
      if (!said(theirs, fin)) assert.is(replay.acknowledged, recordedPushes(theirs).length)
    })
  }
}

test('segments out of order and twice come out once, in order', async () => {
  const recorded = packets.filter(({ kcp }) => kcp.conv === byHand)
  const replay = await play(recorded, 'acceptor')
  assert.is(Buffer.from(replay.received).toString(), 'firstsecondthird')
  assert.ok(!replay.sent.some(({ kcp }) => kcp.flags === 0))
})

test('a stream that nobody knows is reset, but resets and pongs are not answered', () => {
  const group = groups.find(({ name }) => name.includes('unknown connection'))
  const [first] = group?.packets ?? []
  assert.ok(first)
  const { streams, replies } = answering(first.kcp.dst_session, false)
  for (const packet of group?.packets ?? []) {
    if (packet.header.packet_type !== packetTypes.kcpSource) continue
    streams.receive(packet.header.packet_type, plainTextOf(packet), packet.header.from_peer_id, packet.t_ms)
  }
  const recorded = (group?.packets ?? []).filter(({ kcp }) => kcp.flags === streamFlags.rst)
  const said = replies.map(({ conv, flags }) => [conv, flags])
  const expected = acceptors(recorded).map(({ kcp }) => [kcp.conv, kcp.flags])
  assert.equal(said, expected)
})

test('a route that cannot be read is answered, and refused by FIN', () => {
  const syn = packets.find(({ kcp }) => kcp.flags === streamFlags.syn && kcp.rest)
  assert.ok(syn)
  const { streams, replies } = answering(syn.kcp.dst_session, true)
  streams.receive(11, plainTextOf(syn), syn.header.from_peer_id, 0)
  const flags = streamFlags.ack | streamFlags.data
  const answer = encodeStreamPacket({ ...read(plainTextOf(syn)), flags, body: new Uint8Array(0) })
  streams.receive(11, answer, syn.header.from_peer_id, 1)
  streams.tick(1)
  assert.equal(each(replies, 'flags'), [streamFlags.syn | streamFlags.ack, streamFlags.fin])
})

/** Streams that open none, and what they answer. */
function answering(ownId: number, isAccepted: boolean) {
  const replies: StreamPacket[] = []
  const streams = new Streams({
    ownId,
    accepts: () => isAccepted,
    onStream: () => assert.unreachable(),
    random32: () => 1,
    wake() {},
    send: (_peer, _type, payload) => void replies.push(read(payload)),
  })
  return { streams, replies }
}

type Said = { readonly kcp: { readonly flags: number }; readonly segments: readonly KcpSegment[] }

/** Plays one side's packets at their times, and does as an application what the other side's did. */
async function play(recorded: readonly RecordedPacket[], role: 'opener' | 'acceptor') {
  const [syn] = recorded
  assert.ok(syn?.kcp.conn_data)
  const { conv, src_session, dst_session } = syn.kcp
  const [own, peer] = role === 'opener' ? [src_session, dst_session] : [dst_session, src_session]
  const ourType = role === 'opener' ? packetTypes.kcpSource : packetTypes.kcpDestination
  const sent: Said[] = []
  const received: Uint8Array[] = []
  let handle: StreamHandle | undefined
  let acknowledged = 0
  let time = 0
  const streams = new Streams({
    ownId: own,
    accepts: ({ address, port }) => address === 0x0a909001 && port !== 9 && port !== 37_587,
    onStream: (accepted) => {
      handle = accepted
    },
    random32: () => conv - 1,
    wake: () => {},
    send(_peer, type, payload) {
      assert.is(type, ourType)
      const { flags, body } = read(payload)
      const segments = decodeSegments(body) ?? []
      if ((flags & streamFlags.data) !== 0) {
        for (const { unacknowledged } of segments) acknowledged = unacknowledged
      }
      sent.push({ kcp: { flags }, segments })
    },
  })
  const pass = async (until: number) => {
    for (let due = streams.nextDeadline(); due <= until; due = streams.nextDeadline()) {
      time = Math.max(due, time)
      streams.tick(time)
      await settle()
    }
    time = until
    streams.tick(time)
    for (let bytes = handle?.read(); bytes; bytes = handle?.read()) received.push(bytes)
  }

  const written = new Set<number>()
  let hasPeerFin = false
  const open = (packet: RecordedPacket) => {
    const route = decodeStreamRoute(read(plainTextOf(packet)).body)
    assert.ok(route)
    streams.open(peer, route, packet.t_ms).opened.then(
      (opened) => {
        handle = opened
      },
      () => {},
    )
  }
  const write = (segments: readonly SegmentVector[]) => {
    for (const { cmd, sn, data } of segments) {
      if (cmd !== kcpCommands.push || written.has(sn)) continue
      written.add(sn)
      handle?.write(unhex(data))
    }
  }
  const replay = (packet: RecordedPacket) => {
    const { flags, segments = [] } = packet.kcp
    if (flags === streamFlags.syn) open(packet)
    write(segments)
    if (flags === streamFlags.fin && !hasPeerFin) handle?.end()
    if (flags === streamFlags.rst) handle?.destroy()
  }
  for (const packet of recorded) {
    await pass(packet.t_ms)
    if (packet.header.packet_type === ourType) replay(packet)
    else {
      hasPeerFin ||= (packet.kcp.flags & streamFlags.fin) !== 0
      streams.receive(packet.header.packet_type, plainTextOf(packet), peer, packet.t_ms)
    }
    await settle()
    await pass(packet.t_ms)
  }
  await pass((recorded.at(-1)?.t_ms ?? 0) + 20)
  return { sent, received: join(received), acknowledged }
}

function read(payload: Uint8Array): StreamPacket {
  const packet = decodeStreamPacket(payload.slice())
  assert.ok(packet)
  return packet
}

function acceptors(recorded: readonly RecordedPacket[]): RecordedPacket[] {
  return recorded.filter(({ header }) => header.packet_type === packetTypes.kcpDestination)
}

/** Each once, in order. */
function recordedPushes(side: readonly RecordedPacket[]): SegmentVector[] {
  const bySequence = new Map<number, SegmentVector>()
  for (const segment of side.flatMap(({ kcp }) => kcp.segments ?? []))
    if (segment.cmd === kcpCommands.push) bySequence.set(segment.sn, segment)
  return [...bySequence.values()].sort((a, b) => a.sn - b.sn)
}

function pushedBy(side: readonly RecordedPacket[]): string {
  return recordedPushes(side)
    .map(({ data }) => data)
    .join('')
}

function pushed(said: readonly Said[]): Uint8Array {
  const bySequence = new Map<number, Uint8Array>()
  for (const { command, sequence, data } of said.flatMap(({ segments }) => segments))
    if (command === kcpCommands.push) bySequence.set(sequence, data)
  return join([...bySequence].sort(([a], [b]) => a - b).map(([, data]) => data))
}

function join(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}

test.run()
