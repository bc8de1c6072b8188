import { type ByteRate, createByteRate, takeFromAll } from './byteRate'
import { createNetworksByUse } from './networksByUse'
import { OWN_NETWORK, type RelayHello } from './relayHello'
import { createRelayNetwork, type RelayNetwork } from './relayNetwork'
import type { RelayOptions } from './relayOptions'

/** The networks of a relay, each with its rate. When there are too many, the quietest one makes room for a new one. */
export type RelayNetworks = {
  readonly size: number
  /** Members of all networks. */
  readonly members: number
  get(name: string): RelayNetwork | undefined
  /** The first member of a network brings the digest that later ones have to match. @returns undefined when it is refused */
  add(hello: RelayHello): RelayNetwork | undefined
  close(): void
}

/** What a network needs of the connections of the relay. */
export type RelayConnections = {
  send(id: number, packet: Uint8Array): void
  close(id: number): void
  /** Of the addresses that the connection comes from. */
  rates(id: number): readonly ByteRate[]
}

/** Counters that the networks increase. */
export type Tally = {
  relayedBytes: number
  droppedPackets: number
  refusedConnections: number
  displaced: number
}

/**
 * Bytes a second of all networks together when the quota is spent, at most 45 GB a month: members can still arrange
 * direct paths.
 */
const SPENT_BYTES_PER_SECOND = 16_000
/** A full relay is logged so often at most. */
const TELL_MS = 60_000

export function createRelayNetworks(
  options: RelayOptions,
  connections: RelayConnections,
  tally: Tally,
): RelayNetworks {
  const { clock, limits, quota, log } = options
  const total = createByteRate(limits.totalBytesPerSecond ?? Number.MAX_SAFE_INTEGER, clock)
  const rest = createByteRate(SPENT_BYTES_PER_SECOND, clock)
  const networks = createNetworksByUse<RelayNetwork>(clock)
  let toldAt = Number.NEGATIVE_INFINITY

  return {
    get size() {
      return networks.size
    },
    get members() {
      return networks.values().reduce((sum, { members }) => sum + members, 0)
    },
    get: networks.get,
    add(hello) {
      if (quota?.isSpent()) return undefined
      if (networks.size >= limits.networks && !makeRoom()) return undefined
      const network = open(hello)
      networks.set(hello.name, network)
      return network
    },
    close() {
      for (const network of networks.values()) network.close()
      networks.clear()
    },
  }

  function count(bytes: number): void {
    tally.relayedBytes += bytes
    quota?.spend(bytes)
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

  function open({ name, digest }: RelayHello): RelayNetwork {
    const rate = createByteRate(limits.bytesPerSecond, clock)
    const network = createRelayNetwork({
      name,
      digest: digest.slice(),
      ownNetwork: OWN_NETWORK,
      clock,
      maxMembers: limits.membersPerNetwork,
      hostname: options.hostname,
      version: options.version,
      randomBytes: options.randomBytes,
      send: connections.send,
      close: connections.close,
      mayRelay(id, bytes) {
        networks.noteUse(name)
        const common = quota?.isSpent() ? [total, rest] : [total]
        const isWithin = takeFromAll([rate, ...common, ...connections.rates(id)], bytes)
        if (isWithin) count(bytes)
        else tally.droppedPackets += 1
        return isWithin
      },
      onRefused() {
        tally.refusedConnections += 1
      },
      onEmpty() {
        networks.delete(name)
        network.close()
      },
    })
    return network
  }
}
