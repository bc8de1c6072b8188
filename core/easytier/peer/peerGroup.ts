import { networkOfAddress } from '#core/addressRanges'
import type { PeerConnection } from './peerConnection'

/**
 * Tells members apart that cannot be one machine posing as many: the network of the address that one connects from directly, or the
 * neighbour through which it is reached.
 */
export function groupOfPeer(peer: {
  readonly connection: PeerConnection | undefined
  readonly via: PeerConnection | undefined
}): string | undefined {
  const { connection, via } = peer
  if (!connection) return via && `via ${via.peerId}`
  return networkOfAddress(connection.origin.remoteAddress ?? '') ?? `connection ${connection.id}`
}
