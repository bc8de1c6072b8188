import { networkOfAddress } from '#core/addressRanges'
import type { TransportKind } from '../transport/transports'

/** How a connection came about. */
export type ConnectionOrigin = {
  readonly transport: TransportKind
  readonly isDialler: boolean
  /** IP address of the other end. */
  readonly remoteAddress?: string
  /** The configured shared node that was dialled. */
  readonly url?: string
  /** The only peer that is accepted at the other end. */
  readonly expectPeer?: number
  /** The path was opened by hole punching. */
  readonly isPunched?: boolean
}

export type ConnectionProblem =
  | 'wrong-secret'
  | 'own-self'
  | 'unexpected-peer'
  | 'no-handshake'
  | 'other-network'
  | 'refused'
  | 'silent'
  | 'closed'

/** A connection to a neighbour, as the rest of the peer sees it. */
export type PeerConnection = {
  readonly id: number
  readonly origin: ConnectionOrigin
  /** 0 until the handshake is done. */
  readonly peerId: number
  readonly isSharedNode: boolean
  /** Smoothed round trip in milliseconds. */
  readonly roundTrip: number | undefined
  /** When a ping was last answered, in the clock's time: at that moment both directions worked. */
  readonly answeredAt: number | undefined
}

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
