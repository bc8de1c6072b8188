import type { Endpoint } from '@lantern-room/easytier/wire'
import ipaddr from 'ipaddr.js'

// STUN of RFC 5389, binding requests and their answers, written apart from the codec that is tested.

const COOKIE = Buffer.of(0x21, 0x12, 0xa4, 0x42)
const HEADER_SIZE = 20

/** The transaction id of a binding request, 12 bytes; undefined for anything else. */
export function stunRequestId(bytes: Uint8Array): Uint8Array | undefined {
  const message = Buffer.from(bytes)
  return isMessage(message, 0x0001) ? bytes.slice(8, HEADER_SIZE) : undefined
}

/** A success response that tells this address. */
export function encodeStunResponse(transactionId: Uint8Array, { address, port }: Endpoint): Uint8Array {
  const bytes = ipaddr.parse(address).toByteArray()
  const answer = Buffer.alloc(HEADER_SIZE + 8 + bytes.length)
  answer.writeUInt16BE(0x0101, 0)
  answer.writeUInt16BE(8 + bytes.length, 2)
  answer.set(COOKIE, 4)
  answer.set(transactionId, 8)
  answer.writeUInt16BE(0x0020, HEADER_SIZE)
  answer.writeUInt16BE(4 + bytes.length, HEADER_SIZE + 2)
  answer.writeUInt8(bytes.length === 4 ? 1 : 2, HEADER_SIZE + 5)
  answer.writeUInt16BE(port ^ COOKIE.readUInt16BE(), HEADER_SIZE + 6)
  answer.set(masked(bytes, transactionId), HEADER_SIZE + 8)
  return new Uint8Array(answer)
}

/** The IPv4 address in a response that has nothing else in it; undefined for anything else. */
export function readStunResponse(
  bytes: Uint8Array,
): { readonly id: Uint8Array; readonly mapped: Endpoint } | undefined {
  const message = Buffer.from(bytes)
  if (!isMessage(message, 0x0101) || message.readUInt16BE(HEADER_SIZE) !== 0x0020) return undefined
  const port = message.readUInt16BE(HEADER_SIZE + 6) ^ COOKIE.readUInt16BE()
  const address = masked([...message.subarray(HEADER_SIZE + 8, HEADER_SIZE + 12)], []).join('.')
  return { id: bytes.slice(8, HEADER_SIZE), mapped: { address, port } }
}

function isMessage(message: Buffer, type: number): boolean {
  if (message.length < HEADER_SIZE || message.readUInt16BE(0) !== type) return false
  return message.subarray(4, 8).equals(COOKIE) && message.length === HEADER_SIZE + message.readUInt16BE(2)
}

/** The transaction id goes on where the cookie ends: addresses of IPv6 are longer. */
function masked(address: readonly number[], transactionId: Iterable<number>): readonly number[] {
  const mask = [...COOKIE, ...transactionId]
  return address.map((byte, at) => byte ^ (mask[at] ?? 0))
}
