import { createHash } from 'node:crypto'
import { handled } from '@lantern-room/base/async'
import { Network, type NetworkIdentity, type NetworkOptions } from '@lantern-room/easytier'
import { formatEndpoint } from '@lantern-room/easytier/wire'
import type { RoomPrivacy } from '@lantern-room/protocol'
import { RoomFailure } from '../../failure'
import {
  FRIEND_RELAY_BYTES_PER_SECOND,
  type FriendRelay,
  type FriendRelayState,
  type NetworkStatus,
} from '../../networkStatus'
import type { SecureStreams } from '../../ports'
import { isFriendRelay, isOurProgram, PROGRAM_VERSION } from './members'

type OfNetwork =
  | 'transports'
  | 'nodes'
  | 'invitedNodes'
  | 'stunServers'
  | 'isDirect'
  | 'clock'
  | 'randomBytes'
  | 'log'

export type RoomNetworkOptions = Pick<NetworkOptions, OfNetwork> & {
  /** Whether to relay the packets of other members. @default false */
  readonly friendRelay?: boolean
  /** At most so many bytes of them a second. @default FRIEND_RELAY_BYTES_PER_SECOND */
  readonly friendRelayBytesPerSecond?: number
  readonly version: string
  /** Used in private rooms. */
  readonly secureStreams: SecureStreams
  /** The identity of the private room with this code; @default the real one, which takes 0.1 s of a thread */
  readonly privateIdentity?: (code: string) => Promise<NetworkIdentity>
}

/** The options that differ between members. */
export type MemberOptions = Omit<NetworkOptions, keyof RoomNetworkOptions | 'lan'> & {
  readonly isHost: boolean
  readonly signal: AbortSignal
}

export type MemberNetwork = Awaited<ReturnType<typeof openMemberNetwork>>

/**
 * A network that this member takes part in until its signal aborts, `close` is called, or the network fails.
 * @throws RoomFailure `network-failed`, or the reason of the member's signal
 */
export async function openMemberNetwork(options: RoomNetworkOptions, member: MemberOptions) {
  const ending = new AbortController()
  const signal = AbortSignal.any([member.signal, ending.signal])
  const { friendRelay = false, friendRelayBytesPerSecond = FRIEND_RELAY_BYTES_PER_SECOND } = options
  const lanOf = (identity: NetworkIdentity) => ({ key: lanKey(identity), announces: member.isHost })
  const network = await Network.open(
    {
      ...options,
      ...member,
      relays: friendRelay ? { bytesPerSecond: friendRelayBytesPerSecond } : undefined,
      offersRelay: isFriendRelay,
      dropsFragments: ({ programVersion }) => !isOurProgram(programVersion),
      version: PROGRAM_VERSION,
      lan: lanOf(member.identity),
    },
    signal,
  ).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw new RoomFailure('network-failed', 'The network could not be started.', { cause })
  })
  const closed = handled(
    network.closed.catch((cause: unknown) => {
      options.log.error('the network of the room has failed', { cause: String(cause) })
      const failure = new RoomFailure('network-failed', 'The virtual network has failed.', { cause })
      ending.abort(failure)
      throw failure
    }),
  )
  return {
    network,
    /** Aborts when it ends; if the network has failed, the reason is a RoomFailure `network-failed`. */
    signal,
    /** Resolves when it was stopped and has released everything; rejects with that failure at once. */
    closed,
    /** Opens the same member's network under another name and secret as well. @returns the number of this generation */
    openNext: (identity: NetworkIdentity): Promise<number> =>
      network.generations.open({ identity, lan: lanOf(identity) }),
    /** Resolves when everything is released. */
    async close(reason: Error): Promise<void> {
      ending.abort(reason)
      await closed.catch(() => undefined)
    },
  }
}

/**
 * The key under which a host announces its listener on the LAN. Members of the room can compute it; it helps others to guess
 * the secret no more than a handshake does.
 */
function lanKey({ name, secret }: NetworkIdentity): string {
  return createHash('sha256').update(`lantern-room lan\n${name}\n${secret}`).digest('hex').slice(0, 32)
}

export function isConnectedToNode(network: Network): boolean {
  return network.nodes().some(({ state }) => state === 'connected')
}

/** What a member's status says of its own side. */
export function ownStatus(
  network: Pick<Network, 'nodes' | 'mappings' | 'memberRelay'>,
  privacy: RoomPrivacy,
  isDirect: boolean,
): Omit<NetworkStatus, 'path' | 'difficulty'> {
  const mappings = network.mappings().map(({ method, transport, external }) => ({
    method,
    transport,
    external: formatEndpoint(external),
  }))
  return { privacy, nodes: network.nodes(), mappings, friendRelay: friendRelayOf(network, isDirect) }
}

/** The state of our relaying for other members; undefined unless it was switched on. */
function friendRelayOf(network: Pick<Network, 'memberRelay'>, isDirect: boolean): FriendRelay | undefined {
  const relay = network.memberRelay()
  if (!relay) return undefined
  const { isOffered, pairs, bytes, bytesPerSecond } = relay
  return { state: stateOf(isDirect, isOffered, pairs), pairs, bytes, bytesPerSecond }
}

function stateOf(isDirect: boolean, isOffered: boolean, pairs: number): FriendRelayState {
  if (!isDirect) return 'direct-off'
  // For members that reach us nevertheless we relay where they have no other path.
  if (pairs > 0) return 'carrying'
  return isOffered ? 'offered' : 'no-public-address'
}
