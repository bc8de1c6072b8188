import type { Clock } from '#core/async/clock'
import { toHex } from '#core/bytes'
import { createTokenBuckets } from '#core/tokenBuckets'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, packetTypes } from '../wire/packet'
import { OWN_NETWORK } from './relayIdentity'
import { RelayNetwork, type RelayNetworkOptions } from './relayNetwork'
import type { RelayOptions } from './relayOptions'

/** Counters that the networks increase. */
export type Tally = {
  relayedBytes: number
  droppedPackets: number
  refusedConnections: number
  displaced: number
}

/** A full relay is logged so often at most. */
const TELL_MS = 60_000

/**
 * The networks of a relay, each with its rate. Networks of one name with different digests are different networks: a member
 * that opens a name first cannot lock the room of that name out. When there are too many, the quietest one makes room for a new
 * one.
 */
export function createRelayNetworks(
  options: RelayOptions,
  connections: Pick<RelayNetworkOptions, 'send' | 'close'>,
  tally: Tally,
) {
  const { clock, limits, log } = options
  const rateOf = (perSecond: number) => createTokenBuckets(clock, { perSecond, burst: perSecond })
  const total = rateOf(limits.totalBytesPerSecond ?? Number.MAX_SAFE_INTEGER)
  const networks = createNetworksByUse<RelayNetwork>(clock)
  let toldAt = Number.NEGATIVE_INFINITY

  return {
    get size(): number {
      return networks.size
    },
    /** Members of all networks. */
    get members(): number {
      return networks.values().reduce((sum, { members }) => sum + members, 0)
    },
    /** The network of this name and digest, opened for its first member. @returns undefined when it is refused */
    enter(hello: RelayHello): RelayNetwork | undefined {
      const key = keyOf(hello)
      const known = networks.get(key)
      if (known) return known
      if (networks.size >= limits.networks && !makeRoom()) return undefined
      const network = open(hello.name, key)
      networks.set(key, network)
      return network
    },
    close(): void {
      for (const network of networks.values()) network.close()
      networks.clear()
    },
  }

  /** @returns whether the network that was unused for longest was closed: one that is in use never is */
  function makeRoom(): boolean {
    tellFull()
    const quietest = networks.quietest()
    if (!quietest) return false
    networks.delete(quietest.key)
    quietest.network.close()
    tally.displaced += 1
    return true
  }

  function tellFull(): void {
    if (clock.now() - toldAt < TELL_MS) return
    toldAt = clock.now()
    log.warn('the relay is full', { networks: networks.size })
  }

  function open(name: string, key: string): RelayNetwork {
    const rate = rateOf(limits.bytesPerSecond)
    const network = new RelayNetwork({
      ...options,
      ...connections,
      name,
      maxMembers: limits.membersPerNetwork,
      mayRelay(bytes) {
        networks.noteUse(key)
        const isWithin = rate.take('all', bytes) && total.take('all', bytes)
        if (isWithin) tally.relayedBytes += bytes
        else tally.droppedPackets += 1
        return isWithin
      },
      onRefused() {
        tally.refusedConnections += 1
      },
      onEmpty() {
        networks.delete(key)
        network.close()
      },
    })
    return network
  }
}

/** A network in which no member sent another one a packet for this long may be closed to admit a new network. */
const QUIET_MS = 60_000
/** The order need not be more exact; a busy network sends thousands of packets in this time. */
const ORDER_MS = 1000

/** Networks by a key, the one that was unused for longest first. */
function createNetworksByUse<T>(clock: Clock) {
  // In the order of their use, since each use puts one at the end.
  const entries = new Map<string, { readonly network: T; readonly usedAt: number }>()
  return {
    get size(): number {
      return entries.size
    },
    get: (key: string): T | undefined => entries.get(key)?.network,
    /** A new one counts as used now. */
    set: (key: string, network: T): void => void entries.set(key, { network, usedAt: clock.now() }),
    delete: (key: string): void => void entries.delete(key),
    /** Notes that members exchange packets. */
    noteUse(key: string): void {
      const entry = entries.get(key)
      const now = clock.now()
      if (!entry || now - entry.usedAt < ORDER_MS) return
      entries.delete(key)
      entries.set(key, { network: entry.network, usedAt: now })
    },
    /** The network that was unused for longest, if that is a minute or more. */
    quietest(): { readonly key: string; readonly network: T } | undefined {
      const [first] = entries
      if (!first) return undefined
      const [key, { network, usedAt }] = first
      return clock.now() - usedAt >= QUIET_MS ? { key, network } : undefined
    },
    values: (): readonly T[] => [...entries.values()].map(({ network }) => network),
    clear: (): void => entries.clear(),
  }
}

/** The network that a connection's first packet names. */
export type RelayHello = { readonly name: string; readonly digest: Uint8Array }

const MAX_NAME_LENGTH = 256

/** @returns undefined when the packet is not a handshake, or names no possible network */
export function decodeHello(bytes: Uint8Array): RelayHello | undefined {
  const packet = decodePacket(bytes)
  const hello = packet?.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
  if (!hello || hello.networkSecretDigest.length !== DIGEST_SIZE) return undefined
  const { networkName: name, networkSecretDigest: digest } = hello
  if (name.length === 0 || name.length > MAX_NAME_LENGTH || name === OWN_NETWORK) return undefined
  return { name, digest }
}

/** All digests have the same length. */
function keyOf({ name, digest }: RelayHello): string {
  return toHex(digest) + name
}
