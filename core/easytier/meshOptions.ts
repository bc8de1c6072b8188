import type { Clock } from '../async/clock'
import type { Log } from '../log'
import type { NetworkIdentity } from './crypto/networkIdentity'
import type { OnRefused } from './limitLog'
import type { PayloadListener, RemotePeer } from './peer/peerOptions'
import type { Transports } from './transport/transports'
import type { PeerRecord } from './wire/peerRecord'

/** The name and secret by which members find each other. */
export type MeshIdentity = {
  readonly identity: NetworkIdentity
  /**
   * Peers with the same key find each other on the LAN: some announce their listener under it, the others dial it. It is
   * visible to the whole LAN and must not tell the network's secret.
   */
  readonly lan: { readonly key: string; readonly announces: boolean }
}

export type MeshOptions = MeshIdentity & {
  readonly hostname: string
  /** Our IPv4 address inside the network. */
  readonly address: string
  /** The program's version, as other members show it. */
  readonly version: string
  /** Shared nodes: `scheme://host:port`, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Whether this peer listens, dials members and uses the LAN. */
  readonly isDirect: boolean
  readonly transports: Transports
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** Whether a direct connection to this member is wanted. */
  readonly wantsDirect: (peer: RemotePeer) => boolean
  /** Forwards packets of other members to each other, within this rate. It is offered to them while all of them can reach us. */
  readonly relays?: { readonly bytesPerSecond: number } | undefined
  /** Whether this member has offered that itself: packets then take it rather than a shared node. */
  readonly offersRelay?: (record: PeerRecord) => boolean
  /** Whether a member is to stay where there are too many; by default none is. */
  readonly isSettled?: (record: PeerRecord) => boolean
  readonly ownId: number
  /** Whether a payload of this member is to be opened; others are dropped unread. */
  readonly mayRead: (peerId: number) => boolean
  readonly onRefused: OnRefused
  readonly onPayload: PayloadListener
  /** Stops it. */
  readonly signal: AbortSignal
}
