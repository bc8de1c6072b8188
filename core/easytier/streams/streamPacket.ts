import { uint32At, writeUint32 } from '../uint32'
import { kcpConnData, type MessageOf } from '../wire/messages'
import { STREAM_HEADER_SIZE } from './kcp/segments'

/** Flags of a stream packet; several may be set. */
export const streamFlags = { syn: 1, ack: 2, fin: 4, data: 8, rst: 16, ping: 32, pong: 64 } as const

/** The flags that open, move and end a stream: all but pings. */
export const STATE_FLAGS = 31

/** The identity of a stream, equal in both directions. */
export type StreamIds = {
  /** KCP conversation number. */
  readonly conv: number
  /** Peer id of the side that opened the stream. */
  readonly source: number
  /** Peer id of the side that accepted it. */
  readonly destination: number
}

export type StreamPacket = StreamIds & {
  /** Sum of `streamFlags`. */
  readonly flags: number
  /** With SYN: the stream's route. With DATA: KCP segments. A view. */
  readonly body: Uint8Array
}

/** @returns undefined when the bytes are shorter than a header */
export function decodeStreamPacket(bytes: Uint8Array): StreamPacket | undefined {
  if (bytes.length < STREAM_HEADER_SIZE) return undefined
  const flags = bytes[12]
  if (flags === undefined) return undefined
  return {
    conv: uint32At(bytes, 0),
    source: uint32At(bytes, 4),
    destination: uint32At(bytes, 8),
    flags,
    body: bytes.subarray(STREAM_HEADER_SIZE),
  }
}

/** Writes the 14 bytes of the header at the start of `packet`. */
export function writeStreamHeader(
  packet: Uint8Array,
  { conv, source, destination }: StreamIds,
  flags: number,
): void {
  writeUint32(packet, 0, conv)
  writeUint32(packet, 4, source)
  writeUint32(packet, 8, destination)
  packet[12] = flags
  packet[13] = 0
}

export function encodeStreamPacket(header: StreamPacket): Uint8Array {
  const packet = new Uint8Array(STREAM_HEADER_SIZE + header.body.length)
  writeStreamHeader(packet, header, header.flags)
  packet.set(header.body, STREAM_HEADER_SIZE)
  return packet
}

/** An address inside the network: IPv4 as a big-endian number. */
export type StreamEndpoint = { readonly address: number; readonly port: number }

/** Sent by the side that opens a stream. `source` is the address of the client that it opens the stream for; not checked. */
export type StreamRoute = { readonly source: StreamEndpoint; readonly destination: StreamEndpoint }

export function encodeStreamRoute({ source, destination }: StreamRoute): Uint8Array {
  return kcpConnData.encode({ src: toMessage(source), dst: toMessage(destination) })
}

/** @returns undefined when the bytes are not a route, or its destination is not an IPv4 address with a port */
export function decodeStreamRoute(bytes: Uint8Array): StreamRoute | undefined {
  const message = kcpConnData.decode(bytes)
  const destination = fromMessage(message?.dst)
  if (!destination) return undefined
  return { source: fromMessage(message?.src) ?? { address: 0, port: 0 }, destination }
}

function toMessage({ address, port }: StreamEndpoint) {
  return { ip: { case: 'ipv4' as const, value: { addr: address } }, port }
}

function fromMessage(message: MessageOf<typeof kcpConnData>['src']): StreamEndpoint | undefined {
  if (message?.ip.case !== 'ipv4' || message.port > 65_535) return undefined
  return { address: message.ip.value.addr, port: message.port }
}
