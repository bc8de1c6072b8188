import { viewOf } from '../../../bytes'

/** Packets in UDP datagrams: an 8-byte header, then the body. */

export const datagramTypes = {
  /** Asks for a connection: a random connection id and an 8-byte random body. */
  syn: 1,
  /** The answer: the same connection id and body. */
  sack: 2,
  /** One peer packet. */
  data: 3,
  /** Opens a NAT: the connection id is the punching's transaction id, the body is 16 random bytes. */
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
  const datagram = new Uint8Array(DATAGRAM_HEADER_SIZE + body.length)
  const view = viewOf(datagram)
  view.setUint32(0, connectionId, true)
  view.setUint8(4, datagramTypes[type])
  view.setUint16(6, body.length, true)
  datagram.set(body, DATAGRAM_HEADER_SIZE)
  return datagram
}

/**
 * Reads a UDP payload. STUN messages, which come to the same sockets, are none of these: ask `isStun` first.
 * @returns undefined when it is cut, its length field differs from its length, or its type is not of `datagramTypes`
 */
export function decodeDatagram(bytes: Uint8Array): Datagram | undefined {
  if (bytes.length < DATAGRAM_HEADER_SIZE) return undefined
  const view = viewOf(bytes)
  const type = typeNames.get(view.getUint8(4))
  if (type === undefined || view.getUint16(6, true) !== bytes.length - DATAGRAM_HEADER_SIZE) return undefined
  return { type, connectionId: view.getUint32(0, true), body: bytes.subarray(DATAGRAM_HEADER_SIZE) }
}

const typeNames: ReadonlyMap<number, DatagramType> = new Map([
  [datagramTypes.syn, 'syn'],
  [datagramTypes.sack, 'sack'],
  [datagramTypes.data, 'data'],
  [datagramTypes.holePunch, 'holePunch'],
])
