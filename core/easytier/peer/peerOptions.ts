import type { Clock } from '@lantern-room/base/async'
import type { NetworkIdentity } from '../crypto/networkIdentity'
import type { OnRefused } from '../limitLog'
import type { PeerRecord, ReceivedRecord } from '../wire/peerRecord'
import type { ConnectionProblem, PeerConnection } from './peerConnection'
import type { OnCallFailed } from './rpcCalls'

export type ClosedConnection = {
  readonly connection: PeerConnection
  readonly problem: ConnectionProblem
  /** Whether the handshake was done. */
  readonly wasOpen: boolean
}

export type PayloadListener = (type: number, payload: Uint8Array, from: number) => void

export type RemotePeer = {
  readonly record: ReceivedRecord
  /** The best connection to the peer itself, if there is one. */
  readonly connection: PeerConnection | undefined
  /** The connection that packets to the peer take: its own, or a relay's. */
  readonly via: PeerConnection | undefined
}

export type PeerOptions = {
  readonly identity: NetworkIdentity
  /** Our record without the fields that the table fills in. */
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  /**
   * Takes sealed packets (KCP and IP) of members to this one.
   * @default they are dropped
   */
  readonly onPayload?: PayloadListener
  /**
   * Whether a payload or a call of this member is to be opened; others are dropped unread.
   * @default all are opened
   */
  readonly mayRead?: (peerId: number, isCall: boolean) => boolean
  /**
   * Forwards packets between other members, within this rate; `avoidsRelay` of the record says whether they are invited to send
   * them, as they are while all of them can reach us.
   * @default nothing is forwarded
   */
  readonly relays?: { readonly bytesPerSecond: number } | undefined
  /**
   * Whether this member has offered that itself: packets then take it rather than a shared node.
   * @default none has
   */
  readonly offersRelay?: ((record: PeerRecord) => boolean) | undefined
  /**
   * Whether a member is to stay where there are too many.
   * @default none is
   */
  readonly isSettled?: ((record: PeerRecord) => boolean) | undefined
  /** @default nothing is told */
  readonly onRefused?: OnRefused | undefined
  /** @default nothing is told */
  readonly onCallFailed?: OnCallFailed | undefined
}
