import { toHex } from '@lantern-room/base/bytes'
import { createTokenBuckets, setNewest } from '@lantern-room/base/limits'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, packetTypes } from '../wire/packet'
import type { Refusal } from '../wire/refusal'
import { OWN_NETWORK, RelayNetwork } from './relayNetwork'
import type { RelayOptions } from './relayOptions'

/** Counters that the networks increase. */
export type Tally = {
  relayedBytes: number
  /** Packets dropped because their network, or all together, exceeded the rate. */
  droppedPackets: number
  /** Connections that exceeded a limit, or sent no valid handshake. */
  refusedConnections: number
  /** Quiet networks, and connections without a handshake, that were closed to make room for newer ones. */
  displaced: number
}

/** A network in which no member sent another one a packet for this long may be closed to admit a new network. */
const QUIET_MS = 60_000
/** The order need not be more exact; a busy network sends thousands of packets in this time. */
const ORDER_MS = 1000
/** A full relay is logged so often at most. */
const TELL_MS = 60_000

/**
 * The networks of a relay, each with its rate. Networks of one name with different digests are different networks: a member
 * that opens a name first cannot lock the room of that name out. When there are too many, the quietest one makes room for a new
 * one.
 */
export function createRelayNetworks(options: RelayOptions, tally: Tally) {
  const { clock, limits, log } = options
  const rateOf = (perSecond: number) => createTokenBuckets(clock, { perSecond, burst: perSecond })
  const total = rateOf(limits.totalBytesPerSecond ?? Number.MAX_SAFE_INTEGER)
  /** In the order of their use, since each use puts one at the end. A new one counts as used. */
  const networks = new Map<
    string,
    { readonly network: RelayNetwork; readonly place: string; readonly usedAt: number }
  >()
  /** How many were opened from each place. */
  const places = new Map<string, number>()
  let toldAt = Number.NEGATIVE_INFINITY

  return {
    get size(): number {
      return networks.size
    },
    get members(): number {
      return [...networks.values()].reduce((sum, { network }) => sum + network.members(), 0)
    },
    /** The network of this name and digest, opened for its first member. @param place where that member is @returns why not */
    enter(hello: RelayHello, place: string): RelayNetwork | Refusal {
      const key = keyOf(hello)
      const known = networks.get(key)
      if (known) return known.network
      const fromThere = places.get(place) ?? 0
      if (fromThere >= limits.connectionsPerAddress) return 'address-limit'
      if (networks.size >= limits.networks && !makeRoom()) return 'node-full'
      const network = open(hello.name, key)
      networks.set(key, { network, place, usedAt: clock.now() })
      places.set(place, fromThere + 1)
      return network
    },
    close(): void {
      for (const key of [...networks.keys()]) remove(key)
    },
  }

  /** @returns whether the network that was unused for longest was closed: one that is in use never is */
  function makeRoom(): boolean {
    tellFull()
    const [quietest] = networks
    if (!quietest || clock.now() - quietest[1].usedAt < QUIET_MS) return false
    remove(quietest[0])
    tally.displaced += 1
    return true
  }

  function remove(key: string): void {
    const entry = networks.get(key)
    if (!entry) return
    networks.delete(key)
    const left = (places.get(entry.place) ?? 1) - 1
    if (left > 0) places.set(entry.place, left)
    else places.delete(entry.place)
    entry.network.close()
  }

  /** Members exchange packets. */
  function noteUse(key: string): void {
    const entry = networks.get(key)
    if (entry && clock.now() - entry.usedAt >= ORDER_MS)
      setNewest(
        networks,
        key,
        { network: entry.network, place: entry.place, usedAt: clock.now() },
        limits.networks,
      )
  }

  function tellFull(): void {
    if (clock.now() - toldAt < TELL_MS) return
    toldAt = clock.now()
    log.warn('the relay is full', { networks: networks.size })
  }

  function open(name: string, key: string): RelayNetwork {
    const rate = rateOf(limits.bytesPerSecond)
    return RelayNetwork.open({
      hostname: options.hostname,
      version: options.version,
      clock,
      randomBytes: options.randomBytes,
      name,
      maxMembers: limits.membersPerNetwork,
      mayRelay(bytes) {
        noteUse(key)
        const isWithin = rate.take('all', bytes) && total.take('all', bytes)
        if (isWithin) tally.relayedBytes += bytes
        else tally.droppedPackets += 1
        return isWithin
      },
      onRefused() {
        tally.refusedConnections += 1
      },
      onEmpty: () => remove(key),
    })
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
