import { fromHex, toHex, viewOf } from '@lantern-room/base'
import { formatIpv4, parseIpv4 } from '../wire/addresses'

/**
 * Port Control Protocol, version 2: requests to UDP port 5351 of the router, and its answers, for IPv4.
 * @see RFC 6887, sections 7, 11.1 and 14.1
 */

const VERSION = 2
const OPCODES = { announce: 0, map: 1 } as const
const ANSWER = 128
const PROTOCOLS = { tcp: 6, udp: 17 } as const
const HEADER_SIZE = 24
const MAP_SIZE = 36
const MAX_SIZE = 1100
const NONCE_SIZE = 12

/** A port that the router is asked for. */
export type PcpMap = {
  /** Our address towards the router. */
  readonly client: string
  /** 24 hexadecimal digits: a renewal and a removal are those of the same mapping. */
  readonly nonce: string
  readonly transport: 'tcp' | 'udp'
  readonly localPort: number
  /** The number that is asked for; the router may choose another one. */
  readonly externalPort: number
  /** 0 removes the mapping. */
  readonly lifetimeS: number
}

/** A question without an effect: whether the router speaks this protocol. */
export function encodeAnnounceRequest(client: string): Uint8Array {
  return encodeHeader(HEADER_SIZE, OPCODES.announce, 0, client)
}

export function encodePcpMapRequest(map: PcpMap): Uint8Array {
  const request = encodeHeader(HEADER_SIZE + MAP_SIZE, OPCODES.map, map.lifetimeS, map.client)
  const view = viewOf(request)
  request.set(fromHex(map.nonce).subarray(0, NONCE_SIZE), HEADER_SIZE)
  request[36] = PROTOCOLS[map.transport]
  view.setUint16(40, map.localPort)
  view.setUint16(42, map.externalPort)
  // Any address of the router.
  writeAddress(request, 44, '0.0.0.0')
  return request
}

/** @returns undefined for anything but a whole answer of this version */
export function decodePcp(bytes: Uint8Array) {
  if (bytes[0] !== VERSION || bytes.length < HEADER_SIZE || bytes.length > MAX_SIZE) return undefined
  const view = viewOf(bytes)
  const opcode = view.getUint8(1) - ANSWER
  if (opcode < 0) return undefined
  const code = view.getUint8(3)
  if (code !== 0) return { kind: 'refusal', code } as const
  if (opcode === OPCODES.announce) return { kind: 'announce' } as const
  const transport = (['udp', 'tcp'] as const).find((one) => PROTOCOLS[one] === bytes[36])
  if (opcode !== OPCODES.map || transport === undefined || bytes.length < HEADER_SIZE + MAP_SIZE) {
    return undefined
  }
  return {
    kind: 'mapping',
    nonce: toHex(bytes.subarray(HEADER_SIZE, HEADER_SIZE + NONCE_SIZE)),
    transport,
    localPort: view.getUint16(40),
    address: formatIpv4(view.getUint32(56)),
    externalPort: view.getUint16(42),
  } as const
}

function encodeHeader(size: number, opcode: number, lifetimeS: number, client: string): Uint8Array {
  const request = new Uint8Array(size)
  request[0] = VERSION
  request[1] = opcode
  viewOf(request).setUint32(4, lifetimeS)
  writeAddress(request, 8, client)
  return request
}

/** IPv4 as an address of IPv6. */
function writeAddress(bytes: Uint8Array, at: number, address: string): void {
  const view = viewOf(bytes)
  view.setUint16(at + 10, 0xffff)
  view.setUint32(at + 12, parseIpv4(address) ?? 0)
}
