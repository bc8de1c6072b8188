import { uint32At, writeUint32 } from '../uint32'
import { createSlab } from './slab'

/** Packets in UDP datagrams: an 8-byte header, then the body. */

const datagramTypes = {
  /** Opens a connection: a random connection id and an 8-byte random body. */
  syn: 1,
  /** The answer: the same connection id and body. */
  sack: 2,
  /** One peer packet. */
  data: 3,
  /** Opens a NAT mapping: the connection id is the transaction id of the hole punching, the body is 16 random bytes. */
  holePunch: 5,
} as const

export type DatagramType = keyof typeof datagramTypes

export const DATAGRAM_HEADER_SIZE = 8

export type Datagram = {
  readonly type: DatagramType
  readonly connectionId: number
  /** A view, not a copy. */
  readonly body: Uint8Array
}

/** The whole UDP payload. */
export function encodeDatagram(type: DatagramType, connectionId: number, body: Uint8Array): Uint8Array {
  const datagram = take(DATAGRAM_HEADER_SIZE + body.length)
  writeUint32(datagram, 0, connectionId)
  datagram[4] = datagramTypes[type]
  datagram[6] = body.length
  datagram[7] = body.length >>> 8
  datagram.set(body, DATAGRAM_HEADER_SIZE)
  return datagram
}

/**
 * Reads a UDP payload. STUN messages, which arrive at the same sockets, are not among them: check `isStun` first.
 * @returns undefined when it is truncated, its length field differs from its length, or its type is not in
 * `datagramTypes`
 */
export function decodeDatagram(bytes: Uint8Array): Datagram | undefined {
  if (bytes.length < DATAGRAM_HEADER_SIZE) return undefined
  // The type, a byte without a meaning, and the length in two bytes.
  const word = uint32At(bytes, 4)
  const type = typeNames.get(word & 0xff)
  const length = word >>> 16
  if (type === undefined || length !== bytes.length - DATAGRAM_HEADER_SIZE) return undefined
  return { type, connectionId: uint32At(bytes, 0), body: bytes.subarray(DATAGRAM_HEADER_SIZE) }
}

const take = createSlab()

const typeNames: ReadonlyMap<number, DatagramType> = new Map(
  (Object.keys(datagramTypes) as DatagramType[]).map((type) => [datagramTypes[type], type]),
)
