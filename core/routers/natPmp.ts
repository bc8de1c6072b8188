import { viewOf } from '@lantern-room/base/bytes'

/**
 * NAT Port Mapping Protocol: requests to UDP port 5351 of the router, and its answers.
 * @see RFC 6886, sections 3.2 to 3.4
 */

const OPCODES = { udp: 1, tcp: 2 } as const
/** Added to the opcode of the request. */
const ANSWER = 128

/** A port that the router is asked for. */
export type MapRequest = {
  readonly transport: 'tcp' | 'udp'
  readonly localPort: number
  /** The number that is asked for, of which the router may choose another one; 0 for a removal. */
  readonly externalPort: number
  /** 0 removes the mapping. */
  readonly lifetimeS: number
}

export function encodeAddressRequest(): Uint8Array {
  return Uint8Array.of(0, 0)
}

export function encodeMapRequest({ transport, localPort, externalPort, lifetimeS }: MapRequest): Uint8Array {
  const request = new Uint8Array(12)
  const view = viewOf(request)
  request[1] = OPCODES[transport]
  view.setUint16(4, localPort)
  view.setUint16(6, externalPort)
  view.setUint32(8, lifetimeS)
  return request
}

/** @returns undefined for anything but a whole answer of version 0 */
export function decodeNatPmp(bytes: Uint8Array) {
  if (bytes.length < 8 || bytes[0] !== 0) return undefined
  const view = viewOf(bytes)
  const opcode = view.getUint8(1) - ANSWER
  if (opcode < 0) return undefined
  const code = view.getUint16(2)
  if (code !== 0) return { kind: 'refusal', code } as const
  if (opcode === 0) {
    if (bytes.length < 12) return undefined
    return { kind: 'address', address: bytes.subarray(8, 12).join('.') } as const
  }
  const transport = (['udp', 'tcp'] as const).find((one) => OPCODES[one] === opcode)
  if (transport === undefined || bytes.length < 16) return undefined
  return {
    kind: 'mapping',
    transport,
    localPort: view.getUint16(8),
    externalPort: view.getUint16(10),
  } as const
}
