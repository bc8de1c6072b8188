import { networkOfAddress } from '@lantern-room/base/network'
import type { Connection, TransportKind } from '../transport/transports'
import type { Packet } from '../wire/packet'
import type { Refusal } from '../wire/refusal'

export type ConnectionOrigin = {
  readonly transport: TransportKind
  readonly isDialler: boolean
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
  /** A shared node that was dialled has said so; at a shared node, what it says. */
  | Refusal

/** A connection to a neighbour, as the rest of the peer sees it. */
export type PeerConnection = {
  readonly send: Connection['send']
  readonly origin: ConnectionOrigin
  /** 0 until the handshake is done. */
  readonly peerId: number
  readonly isSharedNode: boolean
  /** Smoothed round trip in milliseconds. */
  readonly roundTrip: number | undefined
  /** When a ping was last answered, in the clock's time: at that moment both directions worked. */
  readonly answeredAt: number | undefined
}

export type ConnectionsListener = {
  readonly onOpen: (connection: PeerConnection) => void
  /** @param wasOpen whether the handshake was done */
  readonly onClosed: (connection: PeerConnection, problem: ConnectionProblem, wasOpen: boolean) => void
  /** Every packet but handshakes, pings and pongs. @param bytes the whole packet */
  readonly onPacket: (packet: Packet, connection: PeerConnection, bytes: Uint8Array) => void
  /** Another connection may be the best one now. Of a connection's later round trips it is told once a tick: there are a hundred a second in a full room. */
  readonly onChange: () => void
  /** Whether a peer is reached through this neighbour. */
  readonly isUsed: (connection: PeerConnection) => boolean
}

/**
 * Tells members apart that cannot be one machine posing as many: the network of the address that one connects from directly, or the
 * neighbour through which it is reached.
 * @example
 * const machines = new Set(network.peers().map(groupOfPeer))
 * @returns undefined for a peer that is not reached
 */
export function groupOfPeer(peer: {
  readonly connection: PeerConnection | undefined
  readonly via: PeerConnection | undefined
}): string | undefined {
  const { connection, via } = peer
  if (!connection) return via && `via ${via.peerId}`
  return networkOfAddress(connection.origin.remoteAddress ?? '') ?? `peer ${connection.peerId}`
}
