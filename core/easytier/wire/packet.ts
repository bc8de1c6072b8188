import { uint32At, writeUint32 } from '../uint32'
import { DATAGRAM_HEADER_SIZE } from './udpFrame'

/** Types of packets. Others exist (10, 13–17, 20, 21) and must be ignored. */
export const packetTypes = {
  /** A raw IP packet. */
  data: 1,
  handshake: 2,
  ping: 4,
  pong: 5,
  rpcRequest: 8,
  rpcResponse: 9,
  /** KCP, from the side that opened the stream. */
  kcpSource: 11,
  /** KCP, from the side that accepted it. */
  kcpDestination: 12,
  /** Of shared nodes of this kind alone. @see encodeRefusal */
  refusal: 241,
} as const

/** The flags that matter here. Others exist (2, 4, 64) and must be ignored. */
export const packetFlags = { encrypted: 1, noProxy: 8, compressed: 16 } as const

export const PACKET_HEADER_SIZE = 16
/** What a seal adds to a payload: a tag of 16 bytes and a nonce of 12. */
export const SEAL_SIZE = 28

/** Every path of IPv6 carries packets of this size (RFC 8200, section 5), and some of mobile networks and tunnels no larger ones. */
const LEAST_PATH_MTU = 1280
const IPV6_AND_UDP_HEADERS_SIZE = 40 + 8
/** The largest payload of a packet that passes such a path, sealed, in a UDP datagram. Where larger ones are lost no router tells. */
export const MAX_PATH_PAYLOAD =
  LEAST_PATH_MTU - IPV6_AND_UDP_HEADERS_SIZE - DATAGRAM_HEADER_SIZE - PACKET_HEADER_SIZE - SEAL_SIZE
/** The same for the smallest packets that every host takes by IPv4 (RFC 791): tunnels inside tunnels carry less than IPv6 demands. */
const LEAST_IPV4_PACKET = 576
const IPV4_AND_UDP_HEADERS_SIZE = 20 + 8
export const LEAST_PATH_PAYLOAD =
  LEAST_IPV4_PACKET - IPV4_AND_UDP_HEADERS_SIZE - DATAGRAM_HEADER_SIZE - PACKET_HEADER_SIZE - SEAL_SIZE

const FORWARDS_AT = 10
/** Maximum size of a whole packet; nodes close a connection that carries a longer one. */
export const MAX_PACKET_SIZE = 2000
/** A packet with a higher forward counter is dropped, because it travels in a circle. */
export const MAX_FORWARDS = 7

export type Packet = {
  /** Peer ids; 0 as target in the handshake. */
  readonly from: number
  readonly to: number
  /** One of `packetTypes`, or an unknown one. */
  readonly type: number
  /** Sum of `packetFlags`. */
  readonly flags: number
  readonly forwards: number
  /** Size of the payload before it was compressed and sealed. Set by the sender and not verified. */
  readonly plainLength: number
  /** The bytes after the header: a view, not a copy. */
  readonly payload: Uint8Array
}

/** The fields that a sender chooses; flags default to 0, forwards to 1. */
export type PacketTarget = Pick<Packet, 'from' | 'to' | 'type'> & Partial<Pick<Packet, 'flags' | 'forwards'>>

/**
 * A whole packet with a plain payload.
 * @see docs/network/protocol.md, "Packets"
 */
export function encodePacket(target: PacketTarget, payload: Uint8Array): Uint8Array {
  const packet = new Uint8Array(PACKET_HEADER_SIZE + payload.length)
  writePacketHeader(packet, target, payload.length)
  packet.set(payload, PACKET_HEADER_SIZE)
  return packet
}

/**
 * Writes the 16 bytes of the header at the start of `packet`. All integers are little-endian; byte 11 has no meaning.
 * @param plainLength of the payload before it is compressed and sealed: receivers check it
 */
export function writePacketHeader(packet: Uint8Array, target: PacketTarget, plainLength: number): void {
  writeUint32(packet, 0, target.from)
  writeUint32(packet, 4, target.to)
  packet[8] = target.type
  packet[9] = target.flags ?? 0
  packet[FORWARDS_AT] = target.forwards ?? 1
  packet[11] = 0
  writeUint32(packet, 12, plainLength)
}

/** @returns undefined when the bytes are shorter than a header */
export function decodePacket(bytes: Uint8Array): Packet | undefined {
  if (bytes.length < PACKET_HEADER_SIZE) return undefined
  const type = bytes[8]
  const flags = bytes[9]
  const forwards = bytes[FORWARDS_AT]
  if (type === undefined || flags === undefined || forwards === undefined) return undefined
  return {
    from: uint32At(bytes, 0),
    to: uint32At(bytes, 4),
    type,
    flags,
    forwards,
    plainLength: uint32At(bytes, 12),
    payload: bytes.subarray(PACKET_HEADER_SIZE),
  }
}

/** A copy of a whole packet with a forward counter that is one higher. */
export function withNextForward(packet: Uint8Array): Uint8Array {
  const next = packet.slice()
  const forwards = packet[FORWARDS_AT]
  if (forwards !== undefined) next[FORWARDS_AT] = forwards + 1
  return next
}

/** A ping is never sealed. Only its sender reads the sequence number. */
export function encodePing(from: number, to: number, sequence: number): Uint8Array {
  const payload = new Uint8Array(4)
  writeUint32(payload, 0, sequence)
  return encodePacket({ from, to, type: packetTypes.ping }, payload)
}

/** A pong is the same packet with another type: the ids are not swapped, byte 11 stays as it was. */
export function encodePong(ping: Uint8Array): Uint8Array {
  const pong = ping.slice()
  pong[8] = packetTypes.pong
  return pong
}

/** The sequence number of a ping or pong; undefined when it is truncated. */
export function sequenceOf(packet: Packet): number | undefined {
  return packet.payload.length < 4 ? undefined : uint32At(packet.payload, 0)
}
