import { viewOf } from '@lantern-room/base/bytes'
import ipaddr from 'ipaddr.js'
import type { Endpoint } from './socketAddress'

/**
 * STUN binding requests and their answers.
 * @see RFC 5389
 */

const HEADER_SIZE = 20
const COOKIE = 0x2112a442
const BINDING_REQUEST = 0x0001
const BINDING_RESPONSE = 0x0101
const MAPPED_ADDRESS = 0x0001
const XOR_MAPPED_ADDRESS = 0x0020
/** Maximum size of a response; a longer one over TCP is abandoned. */
const MAX_MESSAGE_SIZE = 2048

/** Transaction ids must begin with this, or listeners of nodes do not answer. */
const NODE_PREFIX = 0xdeadbeef

export type StunMessage =
  | { readonly kind: 'request'; readonly transactionId: Uint8Array }
  /** The address that the request came from; undefined when the response has none that can be read. */
  | { readonly kind: 'response'; readonly transactionId: Uint8Array; readonly mapped: Endpoint | undefined }

/**
 * A transaction id that listeners of nodes answer, too: they return bytes 4 to 7 as zero, so these are zero from the
 * start.
 * @param random at least 4 bytes, of which 4 are used
 * @returns 12 bytes
 */
export function stunTransactionId(random: Uint8Array): Uint8Array {
  const id = new Uint8Array(12)
  viewOf(id).setUint32(0, NODE_PREFIX)
  id.set(random.subarray(0, 4), 8)
  return id
}

/** Whether a listener answers this request: it must not be an open STUN reflector. */
export function isForNodes(transactionId: Uint8Array): boolean {
  return transactionId.length === 12 && viewOf(transactionId).getUint32(0) === NODE_PREFIX
}

/**
 * Whether a datagram is STUN rather than one of the network's: it has the cookie where those have a type and a
 * length.
 */
export function isStun(bytes: Uint8Array): boolean {
  const first = bytes[0]
  if (first === undefined || bytes.length < HEADER_SIZE) return false
  return (first & 0xc0) === 0 && viewOf(bytes).getUint32(4) === COOKIE
}

/**
 * A binding request: asks for the address that the server sees.
 * @param transactionId 12 bytes
 * @example
 * socket.write(encodeStunRequest(transactionId))
 */
export function encodeStunRequest(transactionId: Uint8Array): Uint8Array {
  return encodeMessage(BINDING_REQUEST, transactionId, new Uint8Array(0))
}

/** The response to a request that came from `mapped`. @throws Error when that is not an IP address */
export function encodeStunResponse(transactionId: Uint8Array, mapped: Endpoint): Uint8Array {
  const address = Uint8Array.from(ipaddr.parse(mapped.address).toByteArray())
  const attribute = new Uint8Array(8 + address.length)
  const view = viewOf(attribute)
  view.setUint16(0, XOR_MAPPED_ADDRESS)
  view.setUint16(2, 4 + address.length)
  view.setUint8(5, address.length === 4 ? 1 : 2)
  view.setUint16(6, mapped.port ^ (COOKIE >>> 16))
  attribute.set(masked(address, transactionId), 8)
  return encodeMessage(BINDING_RESPONSE, transactionId, attribute)
}

/** @returns undefined for anything but one whole binding request or success response */
export function decodeStun(bytes: Uint8Array): StunMessage | undefined {
  if (!isStun(bytes) || stunLength(bytes) !== bytes.length) return undefined
  const type = viewOf(bytes).getUint16(0)
  const transactionId = bytes.slice(8, HEADER_SIZE)
  if (type === BINDING_REQUEST) return { kind: 'request', transactionId }
  if (type !== BINDING_RESPONSE) return undefined
  return {
    kind: 'response',
    transactionId,
    mapped: mappedAddress(bytes.subarray(HEADER_SIZE), transactionId),
  }
}

/**
 * The first message in the bytes that have arrived on a TCP connection.
 * @example
 * const message = decodeStunStream(received)?.message
 * if (message?.kind === 'response') show(message.mapped)
 * @returns undefined while more is needed; `{message: undefined}` once it is clear that no response will come
 */
export function decodeStunStream(
  bytes: Uint8Array,
): { readonly message: StunMessage | undefined } | undefined {
  if (bytes.length < HEADER_SIZE) return undefined
  const length = stunLength(bytes)
  if (!isStun(bytes) || length > MAX_MESSAGE_SIZE) return { message: undefined }
  return bytes.length < length ? undefined : { message: decodeStun(bytes.subarray(0, length)) }
}

function stunLength(bytes: Uint8Array): number {
  return HEADER_SIZE + viewOf(bytes).getUint16(2)
}

function encodeMessage(type: number, transactionId: Uint8Array, attributes: Uint8Array): Uint8Array {
  const message = new Uint8Array(HEADER_SIZE + attributes.length)
  const view = viewOf(message)
  view.setUint16(0, type)
  view.setUint16(2, attributes.length)
  view.setUint32(4, COOKIE)
  message.set(transactionId.subarray(0, 12), 8)
  message.set(attributes, HEADER_SIZE)
  return message
}

/** The XOR form is preferred: some routers rewrite addresses that they find in the clear. */
function mappedAddress(attributes: Uint8Array, transactionId: Uint8Array): Endpoint | undefined {
  let plain: Endpoint | undefined
  for (let at = 0; at + 4 <= attributes.length; ) {
    const view = viewOf(attributes)
    const length = view.getUint16(at + 2)
    const value = attributes.subarray(at + 4, at + 4 + length)
    if (value.length < length) break
    const type = view.getUint16(at)
    if (type === XOR_MAPPED_ADDRESS) {
      const endpoint = readAddress(value, transactionId)
      if (endpoint) return endpoint
    }
    if (type === MAPPED_ADDRESS) plain ??= readAddress(value, undefined)
    at += 4 + ((length + 3) & ~3)
  }
  return plain
}

function readAddress(value: Uint8Array, maskedBy: Uint8Array | undefined): Endpoint | undefined {
  const family = value[1]
  if (!(family === 1 && value.length === 8) && !(family === 2 && value.length === 20)) return undefined
  const port = viewOf(value).getUint16(2)
  const raw = value.subarray(4)
  const bytes = maskedBy ? masked(raw, maskedBy) : raw
  return {
    address: ipaddr.fromByteArray([...bytes]).toString(),
    port: maskedBy ? port ^ (COOKIE >>> 16) : port,
  }
}

/** XOR with the cookie and, for longer addresses, the transaction id. */
function masked(address: Uint8Array, transactionId: Uint8Array): Uint8Array {
  const mask = new Uint8Array(16)
  const maskView = viewOf(mask)
  maskView.setUint32(0, COOKIE)
  mask.set(transactionId.subarray(0, 12), 4)
  return address.map((byte, i) => byte ^ maskView.getUint8(i))
}
