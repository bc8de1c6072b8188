// Frozen: raw TCP serves only peers that open streams without KCP. Change it for compatibility with them, and nothing else.
// See docs/decisions.md, D71.
import { encodeIpv4, type Ipv4Packet, ipProtocols } from '#core/easytier/ip/ipv4'
import { StreamError } from '../streamError'
import { createTcpConnection, type TcpConnection, type TcpHandle } from './tcpConnection'
import { decodeTcp, encodeTcp, type TcpSegment, tcpFlags } from './tcpSegment'

/** Accepts TCP of peers that open streams without KCP. No timers: call `tick` at `nextDeadline()` and soon after `wake`. */
export type TcpResponder = {
  /** A whole packet of protocol 6, already joined from fragments. Call `tick` after the last one at hand. */
  receive(packet: Ipv4Packet, fromPeer: number, now: number): void
  tick(now: number): void
  /** In the past when there is something to do already, Infinity for never. */
  nextDeadline(): number
  forgetPeer(peerId: number): void
  /** Breaks all connections and tells the peers. */
  close(now: number): void
  readonly count: number
}

export type TcpResponderOptions = {
  /** Sends an IPv4 packet as a packet of type Data. */
  readonly send: (peerId: number, packet: Uint8Array) => void
  /** Whether a member may connect to this address and port; otherwise it gets a reset. */
  readonly accepts: (
    destination: { readonly address: number; readonly port: number },
    peerId: number,
  ) => boolean
  readonly onStream: (
    stream: TcpHandle,
    destination: { readonly address: number; readonly port: number },
  ) => void
  readonly random32: () => number
  readonly wake: () => void
  /** A connection was refused because there are too many; of this peer, or undefined, of all. */
  readonly onRefused?: (peerId?: number) => void
  /** Connections of all peers together. */
  readonly limit?: number
  /** Connections of one peer. */
  readonly limitPerPeer?: number
}

type Entry = { readonly peerId: number; readonly connection: TcpConnection }

/** @see docs/network/streams.md */
export function createTcpResponder(options: TcpResponderOptions): TcpResponder {
  const { limit = 256, limitPerPeer = 32 } = options
  const entries = new Map<string, Entry>()
  /** Of each peer. */
  const counts = new Map<number, number>()
  let id = 0

  const sendTo = (peerId: number, { source, target }: Ipv4Packet, segment: TcpSegment) => {
    id = (id + 1) & 0xffff
    const back = { source: target, target: source }
    const payload = encodeTcp(segment, back)
    for (const packet of encodeIpv4({ ...back, protocol: ipProtocols.tcp, id }, payload)) {
      options.send(peerId, packet)
    }
  }
  /** Answers a segment of a connection that does not exist, as RFC 9293, 3.10.7.1 has it. */
  const refuse = (peerId: number, packet: Ipv4Packet, segment: TcpSegment) => {
    if (segment.flags & tcpFlags.rst) return
    const hasAck = (segment.flags & tcpFlags.ack) !== 0
    const length = segment.data.length + (segment.flags & (tcpFlags.syn | tcpFlags.fin) ? 1 : 0)
    sendTo(peerId, packet, {
      sourcePort: segment.targetPort,
      targetPort: segment.sourcePort,
      sequence: hasAck ? segment.acknowledged : 0,
      acknowledged: (segment.sequence + length) >>> 0,
      flags: tcpFlags.rst | tcpFlags.ack,
      window: 0,
      data: new Uint8Array(0),
    })
  }
  const count = (peerId: number, change: number) => {
    const next = (counts.get(peerId) ?? 0) + change
    if (next > 0) counts.set(peerId, next)
    else counts.delete(peerId)
  }
  const remove = (key: string, { peerId }: Entry) => {
    if (entries.delete(key)) count(peerId, -1)
  }
  const accept = (key: string, peerId: number, packet: Ipv4Packet, syn: TcpSegment, now: number) => {
    const destination = { address: packet.target, port: syn.targetPort }
    if (!options.accepts(destination, peerId)) return refuse(peerId, packet, syn)
    const isOverShare = (counts.get(peerId) ?? 0) >= limitPerPeer
    if (isOverShare || entries.size >= limit) {
      options.onRefused?.(isOverShare ? peerId : undefined)
      return refuse(peerId, packet, syn)
    }
    const connection = createTcpConnection({
      peerId,
      syn: { ...syn, data: new Uint8Array(0) },
      first: options.random32() >>> 0,
      now,
      wake: options.wake,
      onOpen: (handle) => options.onStream(handle, destination),
      send: (segment) =>
        sendTo(peerId, ends, { ...segment, sourcePort: syn.targetPort, targetPort: syn.sourcePort }),
    })
    const ends = { ...packet, payload: new Uint8Array(0) }
    const replaced = entries.get(key)
    if (replaced) remove(key, replaced)
    entries.set(key, { peerId, connection })
    count(peerId, 1)
  }

  return {
    receive(packet, fromPeer, now) {
      if (packet.protocol !== ipProtocols.tcp || packet.offset !== 0 || packet.hasMore) return
      const segment = decodeTcp(packet.payload, packet)
      if (!segment) return
      const key = `${fromPeer} ${packet.source} ${segment.sourcePort} ${packet.target} ${segment.targetPort}`
      const entry = entries.get(key)
      const isSyn = (segment.flags & (tcpFlags.syn | tcpFlags.ack | tcpFlags.rst)) === tcpFlags.syn
      const isReplaced = isSyn && entry?.connection.handle.state === 'closed'
      if (entry && !isReplaced) entry.connection.receive(segment, now)
      else if (isSyn) accept(key, fromPeer, packet, segment, now)
      else refuse(fromPeer, packet, segment)
    },
    tick(now) {
      for (const [key, entry] of entries) {
        const { connection } = entry
        if (connection.nextDeadline() <= now) connection.tick(now)
        if (connection.isGone(now)) remove(key, entry)
      }
    },
    nextDeadline() {
      let deadline = Number.POSITIVE_INFINITY
      for (const { connection } of entries.values()) deadline = Math.min(deadline, connection.nextDeadline())
      return deadline
    },
    forgetPeer(peerId) {
      for (const [key, entry] of entries) {
        if (entry.peerId !== peerId) continue
        remove(key, entry)
        entry.connection.abandon(new StreamError('dead'))
      }
    },
    close(now) {
      for (const { connection } of entries.values()) {
        connection.handle.destroy()
        connection.tick(now)
      }
      entries.clear()
      counts.clear()
    },
    get count() {
      return entries.size
    },
  }
}
