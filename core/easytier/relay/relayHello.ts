import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, packetTypes } from '../wire/packet'

/** The network that a connection's first packet names. */
export type RelayHello = { readonly name: string; readonly digest: Uint8Array }

/** The name of this node's own network, by which a peer recognises it as a shared node. */
export const OWN_NETWORK = 'lantern-room-relay'
const MAX_NAME_LENGTH = 256

/** @returns undefined when the packet is not a handshake, or names no possible network */
export function decodeHello(bytes: Uint8Array): RelayHello | undefined {
  const packet = decodePacket(bytes)
  const hello = packet?.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
  if (!hello || hello.networkSecretDigest.length !== DIGEST_SIZE) return undefined
  const { networkName: name, networkSecretDigest: digest } = hello
  if (name.length === 0 || name.length > MAX_NAME_LENGTH || name === OWN_NETWORK) return undefined
  return { name, digest }
}
