import type { Log } from '@lantern-room/base'
import type { NetworkIdentity } from './crypto/networkIdentity'
import type { OnRefused } from './limitLog'
import type { PayloadListener, PeerOptions, RemotePeer } from './peer/peerOptions'
import type { NodesOfNetwork } from './transport/namedNode'
import type { Transports } from './transport/transports'

/** The name and secret by which members find each other. */
export type MeshIdentity = {
  readonly identity: NetworkIdentity
  /**
   * Peers with the same key find each other on the LAN: some announce their listener under it, the others dial it. It is
   * visible to the whole LAN and must not tell the network's secret.
   */
  readonly lan: { readonly key: string; readonly announces: boolean }
}

export type MeshOptions = MeshIdentity &
  NodesOfNetwork &
  Omit<PeerOptions, 'record' | 'onCallFailed' | 'mayRead' | 'onRefused'> & {
    /** @see PeerOptions */
    readonly mayRead: (peerId: number, isCall: boolean) => boolean
    readonly onRefused: OnRefused
    readonly hostname: string
    /** Our IPv4 address inside the network. */
    readonly address: string
    /** The program's version, as other members show it. */
    readonly version: string
    /** `host:port` of STUN servers. */
    readonly stunServers: readonly string[]
    /** Whether this peer listens, dials members and uses the LAN. */
    readonly isDirect: boolean
    readonly transports: Transports
    readonly log: Log
    /** Members, paths or shared nodes have changed. */
    readonly onChange: () => void
    /** Whether a direct connection to this member is wanted. */
    readonly wantsDirect: (peer: RemotePeer) => boolean
    /**
     * Whether a member that is searched for on the LAN is among those that a mesh is connected to. Until then every listener of the
     * LAN that is announced is dialled.
     * @default any member is one
     */
    readonly isFoundOnLan?: ((neighbours: readonly number[]) => boolean) | undefined
    readonly ownId: number
    readonly onPayload: PayloadListener
    readonly signal: AbortSignal
  }
