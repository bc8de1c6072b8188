import { uint32At, viewOf } from '#core/bytes'
import { type Decoded, kcpConnData } from '../wire/messages'

/** What a packet of the connection layer says; several may be set. */
export const streamFlags = { syn: 1, ack: 2, fin: 4, data: 8, rst: 16, ping: 32, pong: 64 } as const

export const STREAM_HEADER_SIZE = 14

/** The header of every packet of a stream, the same triple both ways. */
export type StreamPacket = {
  readonly conv: number
  /** Peer id of the side that opened the stream. */
  readonly source: number
  /** Peer id of the side that accepted it. */
  readonly destination: number
  /** Sum of `streamFlags`. */
  readonly flags: number
  /** With SYN: where the stream shall go. With DATA: KCP segments. A view. */
  readonly body: Uint8Array
}

/** @returns undefined when the bytes are shorter than a header */
export function decodeStreamPacket(bytes: Uint8Array): StreamPacket | undefined {
  if (bytes.length < STREAM_HEADER_SIZE) return undefined
  return {
    conv: uint32At(bytes, 0),
    source: uint32At(bytes, 4),
    destination: uint32At(bytes, 8),
    flags: bytes[12] ?? 0,
    body: bytes.subarray(STREAM_HEADER_SIZE),
  }
}

/** Writes the 14 bytes of the header at the start of `packet`. */
export function writeStreamHeader(packet: Uint8Array, header: Omit<StreamPacket, 'body'>): void {
  const view = viewOf(packet)
  view.setUint32(0, header.conv, true)
  view.setUint32(4, header.source, true)
  view.setUint32(8, header.destination, true)
  view.setUint8(12, header.flags)
  view.setUint8(13, 0)
}

export function encodeStreamPacket({ body, ...header }: StreamPacket): Uint8Array {
  const packet = new Uint8Array(STREAM_HEADER_SIZE + body.length)
  writeStreamHeader(packet, header)
  packet.set(body, STREAM_HEADER_SIZE)
  return packet
}

/** An address inside the network: IPv4 as a big-endian number. */
export type Endpoint = { readonly address: number; readonly port: number }

/** What the side that opens a stream says of it. `source` is the address of the client it opens it for; free form. */
export type StreamRoute = { readonly source: Endpoint; readonly destination: Endpoint }

export function encodeStreamRoute({ source, destination }: StreamRoute): Uint8Array {
  return kcpConnData.encode({ src: toMessage(source), dst: toMessage(destination) })
}

/** @returns undefined when the bytes are no route, or its destination is no IPv4 address with a port */
export function decodeStreamRoute(bytes: Uint8Array): StreamRoute | undefined {
  const message = kcpConnData.decode(bytes)
  const destination = fromMessage(message?.dst)
  if (!destination) return undefined
  return { source: fromMessage(message?.src) ?? { address: 0, port: 0 }, destination }
}

function toMessage({ address, port }: Endpoint) {
  return { ip: { case: 'ipv4' as const, value: { addr: address } }, port }
}

function fromMessage(message: Decoded<typeof kcpConnData>['src']): Endpoint | undefined {
  if (message?.ip.case !== 'ipv4' || message.port > 65_535) return undefined
  return { address: message.ip.value.addr, port: message.port }
}
