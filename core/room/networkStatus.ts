/** What a room's network says of itself: its nodes, its members, and the ways to them. */

import type { FriendRelay } from './friendRelay'
import type { RelayReason } from './relayReasons'
import type { RoomPrivacy } from './roomCode'

/** How packets reach a member. `latencyMs` is the round trip. */
export type Path = {
  readonly kind: 'direct' | 'relay'
  readonly transport: 'tcp' | 'udp' | 'ws' | 'memory'
  readonly latencyMs: number | undefined
  readonly relayedBy?: RelayKind | undefined
}

/** Who carries a relayed path: a shared node, or another member of the room. */
export type RelayKind = 'node' | 'friend'

/** A shared node that was configured for this room. */
export type NodeStatus = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed, in a few words. */
  readonly problem: string | undefined
}

/** A member of the room's network other than this one. */
export type Member = {
  /** Of this run of the member: the same in `Incoming`. */
  readonly id: string
  readonly hostname: string
  /** Whether it hosts a room by its own account. */
  readonly isHost?: boolean | undefined
  /** IPv4 address inside the network, or undefined while it has none. */
  readonly address: string | undefined
  /** IP address from which it is connected directly. */
  readonly remoteAddress?: string | undefined
  /** Equal for members that may be one machine: of one address, or behind one relay. */
  readonly group?: string | undefined
  readonly path: Path | undefined
}

/** How a member is reached, as measured from end to end over the last seconds. Undefined: not measured yet. */
export type MemberLink = {
  readonly memberId: string
  /** `lan`: direct, within the same local network. */
  readonly path: 'direct' | 'lan' | 'relay' | undefined
  readonly transport: Path['transport'] | undefined
  /** Round trip. */
  readonly latencyMs: number | undefined
  /** Share of probes without an answer, 0 to 1. */
  readonly loss: number | undefined
  /** Bytes per second of streams and datagrams. */
  readonly sentPerSecond: number | undefined
  readonly receivedPerSecond: number | undefined
  readonly relayedBy?: RelayKind | undefined
  /** Why there is no direct connection; undefined when there is one. */
  readonly relayReason: RelayReason | undefined
}

export type Difficulty = 'UNKNOWN' | 'EASIEST' | 'SIMPLE' | 'MEDIUM' | 'TOUGH'

export type NetworkStatus = {
  readonly privacy: RoomPrivacy
  readonly nodes: readonly NodeStatus[]
  /** Ports that the router of this machine's network has opened for it. */
  readonly mappings: readonly {
    readonly method: 'pcp' | 'nat-pmp' | 'upnp'
    readonly transport: 'tcp' | 'udp'
    /** `address:port` of the internet. */
    readonly external: string
  }[]
  /** What this machine carries for others; undefined unless that was asked for. */
  readonly friendRelay?: FriendRelay | undefined
  /** Of a guest: the way to the host. */
  readonly path: Path | undefined
  /** Of a guest: from both NAT types, while it connects. */
  readonly difficulty: Difficulty | undefined
}

/** What happens while connected. */
export type NetworkEvent =
  | { readonly kind: 'members' }
  | { readonly kind: 'status' }
  /** `links` was measured anew. */
  | { readonly kind: 'links' }
  /** Guest: the host does not answer; streams wait. */
  | { readonly kind: 'lost' }
  /** Guest: the host answers again. `isRestarted` when it is another run of the host, so that old streams are gone. */
  | { readonly kind: 'back'; readonly isRestarted: boolean }
