import { z } from '@hono/zod-openapi'
import type { Refusal } from '@lantern-room/easytier/wire'
import type { RoomPrivacy } from '@lantern-room/protocol'
import english from './words/english.json'

/** The status of a room's network: its nodes, its members, and the paths to them. */

/** How packets reach a member. `latencyMs` is the round trip. */
export type Path = {
  readonly kind: 'direct' | 'relay'
  readonly transport: 'tcp' | 'udp' | 'ws' | 'memory'
  readonly latencyMs: number | undefined
  readonly relayedBy?: RelayKind | undefined
}

/** The carrier of a relayed path: a shared node, or another member of the room. */
export type RelayKind = 'node' | 'friend'

/** A shared node that was configured for this room. */
export type NodeStatus = {
  readonly url: string
  readonly state: 'connecting' | 'connected' | 'failed'
  readonly latencyMs: number | undefined
  /** Why it failed, in a few words. */
  readonly problem: string | undefined
  /** Set where the node itself has said why. */
  readonly refusal?: Refusal | undefined
}

/** A member of the room's network other than this one. */
export type Member = {
  /** Identifies this run of the member, as in `Incoming`. */
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
}

/** How a member is reached, as measured from end to end over the last seconds. Undefined: not measured yet. */
export type MemberLink = {
  readonly memberId: string
  /** `lan`: direct, within the same local network. */
  readonly path: 'direct' | 'lan' | 'relay' | undefined
  readonly transport: Path['transport'] | undefined
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

export const mappingRecord = z.object({
  method: z.enum(['nat-pmp', 'upnp']),
  transport: z.enum(['tcp', 'udp']),
  external: z.string().openapi({ example: '203.0.113.7:40000' }),
})

export type NetworkStatus = {
  readonly privacy: RoomPrivacy
  readonly nodes: readonly NodeStatus[]
  /** Ports that the router of this machine's network has opened for it. */
  readonly mappings: readonly z.infer<typeof mappingRecord>[]
  /** The traffic that this machine relays for others; undefined unless it was enabled. */
  readonly friendRelay?: FriendRelay | undefined
  /** The path to the host; undefined on the host. */
  readonly path: Path | undefined
  /** How hard a direct connection to the host is, by both NAT types; undefined on the host. */
  readonly difficulty: Difficulty | undefined
}

export type NetworkEvent =
  | { readonly kind: 'members' }
  | { readonly kind: 'status' }
  /** `links` was measured anew. */
  | { readonly kind: 'links' }
  /** Guest: the host does not answer; streams wait. */
  | { readonly kind: 'lost' }
  /** Guest: the host answers again. `isRestarted` when it is another run of the host, so that old streams are gone. */
  | { readonly kind: 'back'; readonly isRestarted: boolean }

/** Whether this machine carries what passes between players of the room who have no direct path. The codes are stable, for programs. */
export const FRIEND_RELAY_STATES = english.friendRelay

/** The default limit: enough for several players, and a part of a home connection's upload. */
export const FRIEND_RELAY_BYTES_PER_SECOND = 1_000_000

export type FriendRelayState = keyof typeof FRIEND_RELAY_STATES
export const FRIEND_RELAY_STATE_CODES = Object.keys(FRIEND_RELAY_STATES) as [
  FriendRelayState,
  ...FriendRelayState[],
]

export const friendRelayRecord = z
  .object({
    state: z.enum(FRIEND_RELAY_STATE_CODES).openapi({ description: 'Stable, for programs.' }),
    text: z.string().openapi({ description: 'What it means, or why nothing is offered, one sentence.' }),
    pairs: z.int().openapi({ description: 'Pairs of members that it was for in the last ten seconds.' }),
    bytes: z.int().openapi({ description: 'Carried since the room was opened or joined.' }),
    bytesPerSecond: z.int().openapi({ description: 'The limit, of all pairs together.' }),
  })
  .openapi('FriendRelay')

/** The traffic that this machine relays for other players, if it was enabled. */
export type FriendRelay = Omit<z.infer<typeof friendRelayRecord>, 'text'>

/** Why a member is reached through a relay only, and what would change that. The codes are stable, for programs. */
export const RELAY_REASONS = english.relayed

export type RelayReason = keyof typeof RELAY_REASONS
export const RELAY_REASON_CODES = Object.keys(RELAY_REASONS) as [RelayReason, ...RelayReason[]]
