import { encodePacket, type Packet, packetTypes } from './packet'

/**
 * Why a shared node of this kind closes a connection: `address-limit`, too many come from that address; `node-full`, it takes no more
 * rooms, or no more members into this one.
 */
export const REFUSALS = ['address-limit', 'node-full'] as const
export type Refusal = (typeof REFUSALS)[number]

/**
 * What such a node sends before it closes a connection that has no member yet, in place of an answer to the handshake. Other programs
 * drop it as a packet of an unknown type.
 * @returns a packet from and to peer 0, whose payload is the word in UTF-8
 * @see docs/network/protocol.md, "Keys"
 */
export function encodeRefusal(why: Refusal): Uint8Array {
  return encodePacket({ from: 0, to: 0, type: packetTypes.refusal }, new TextEncoder().encode(why))
}

/** @returns undefined for other packets, and for a word of a newer version */
export function decodeRefusal({ type, payload }: Packet): Refusal | undefined {
  if (type !== packetTypes.refusal) return undefined
  const word = new TextDecoder().decode(payload)
  return REFUSALS.find((one) => one === word)
}
