import { networkOfAddress } from '#core/addressRanges'
import type { RemotePeer } from './peer'

/**
 * Tells members apart that cannot be one machine posing as many: the network of the address that one connects from directly, or the
 * neighbour through which it is reached.
 */
export function groupOfPeer({ connection, via }: Pick<RemotePeer, 'connection' | 'via'>): string | undefined {
  if (!connection) return via && `via ${via.peerId}`
  return networkOfAddress(connection.origin.remoteAddress ?? '') ?? `connection ${connection.id}`
}
