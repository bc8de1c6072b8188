import { createHash } from 'node:crypto'
import type { Clock } from '#core/clock'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import { type Network, type NetworkOptions, openNetwork } from '#core/easytier/network'
import type { Transports } from '#core/easytier/transport/transports'
import { abortReason } from '#core/errors'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { SecureStreams } from '../ports'
import { PROGRAM_VERSION } from './members'

/** What the networks of all rooms have in common. */
export type RoomNetworkOptions = {
  readonly transports: Transports
  /** `scheme://host:port` of shared nodes, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly isDirect: boolean
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  readonly version: string
  /** Used in private rooms. */
  readonly secureStreams: SecureStreams
  /** The identity of the private room with this code; by default the real one, which takes 0.1 s of a thread. */
  readonly privateIdentity?: (code: string) => Promise<NetworkIdentity>
}

/** What differs from one member to another. */
export type MemberOptions = Omit<NetworkOptions, keyof RoomNetworkOptions | 'lan'> & {
  readonly isHost: boolean
}

/** A network that this member takes part in until its signal aborts, `close` is called, or the network fails. */
export type MemberNetwork = {
  readonly network: Network
  /** Aborts when it ends; if the network has failed, the reason is a RoomFailure `network-failed`. */
  readonly signal: AbortSignal
  /** Resolves when it was stopped and has released everything; rejects with that failure at once. */
  readonly closed: Promise<void>
  /** Resolves when everything is released. */
  close(reason: Error): Promise<void>
}

/** @throws RoomFailure `network-failed`, or the reason of the member's signal */
export async function openMemberNetwork(
  options: RoomNetworkOptions,
  member: MemberOptions,
): Promise<MemberNetwork> {
  const ending = new AbortController()
  const signal = AbortSignal.any([member.signal, ending.signal])
  const network = await openNetwork({
    ...options,
    ...member,
    signal,
    version: PROGRAM_VERSION,
    lan: { key: lanKey(member.identity), announces: member.isHost },
  }).catch((cause: unknown) => {
    if (signal.aborted) throw abortReason(signal)
    throw new RoomFailure('network-failed', 'The network could not be started.', { cause })
  })
  const closed = network.closed.catch((cause: unknown) => {
    options.log.error('the network of the room has failed', { cause: String(cause) })
    const failure = new RoomFailure('network-failed', 'The virtual network has failed.', { cause })
    ending.abort(failure)
    throw failure
  })
  closed.catch(() => undefined)
  return {
    network,
    signal,
    closed,
    async close(reason) {
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

export function noRelayReachable(network: Network): RoomFailure {
  const problems = network.nodes().map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', `No shared node can be reached (${problems.join('; ')}).`)
}
