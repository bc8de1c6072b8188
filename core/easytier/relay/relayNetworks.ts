import type { Clock } from '@lantern-room/base/async'
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

type TokenBuckets = ReturnType<typeof createTokenBuckets>

type Entry = { readonly network: RelayNetwork; readonly place: string; readonly usedAt: number }

/**
 * The networks of a relay, each with its rate. Networks of one name with different digests are different networks: a member
 * that opens a name first cannot lock the room of that name out. When there are too many, the quietest one makes room for a new
 * one.
 */
export class RelayNetworks {
  readonly #options: RelayOptions
  readonly #tally: Tally
  /** Of all networks together. */
  readonly #total: TokenBuckets
  /** In the order of their use, since each use puts one at the end. A new one counts as used. */
  readonly #networks = new Map<string, Entry>()
  /** How many were opened from each place. */
  readonly #places = new Map<string, number>()
  #toldAt = Number.NEGATIVE_INFINITY

  constructor(options: RelayOptions, tally: Tally) {
    const { clock, limits } = options
    this.#options = options
    this.#tally = tally
    this.#total = bucketsOf(clock, limits.totalBytesPerSecond ?? Number.MAX_SAFE_INTEGER)
  }

  get size(): number {
    return this.#networks.size
  }

  get members(): number {
    return [...this.#networks.values()].reduce((sum, { network }) => sum + network.members(), 0)
  }

  /** The network of this name and digest, opened for its first member. @param place where that member is @returns why not */
  enter(hello: RelayHello, place: string): RelayNetwork | Refusal {
    const { clock, limits } = this.#options
    const key = keyOf(hello)
    const known = this.#networks.get(key)
    if (known) return known.network
    const fromThere = this.#places.get(place) ?? 0
    if (fromThere >= limits.connectionsPerAddress) return 'address-limit'
    if (this.#networks.size >= limits.networks && !this.#makeRoom()) return 'node-full'
    const network = this.#open(hello.name, key)
    this.#networks.set(key, { network, place, usedAt: clock.now() })
    this.#places.set(place, fromThere + 1)
    return network
  }

  close(): void {
    for (const key of [...this.#networks.keys()]) this.#remove(key)
  }

  /** @returns whether the network that was unused for longest was closed: one that is in use never is */
  #makeRoom(): boolean {
    this.#tellFull()
    const [quietest] = this.#networks
    if (!quietest || this.#options.clock.now() - quietest[1].usedAt < QUIET_MS) return false
    this.#remove(quietest[0])
    this.#tally.displaced += 1
    return true
  }

  #remove(key: string): void {
    const entry = this.#networks.get(key)
    if (!entry) return
    this.#networks.delete(key)
    const left = (this.#places.get(entry.place) ?? 1) - 1
    if (left > 0) this.#places.set(entry.place, left)
    else this.#places.delete(entry.place)
    entry.network.close()
  }

  /** Members exchange packets. */
  #noteUse(key: string): void {
    const { clock, limits } = this.#options
    const entry = this.#networks.get(key)
    if (!entry || clock.now() - entry.usedAt < ORDER_MS) return
    const { network, place } = entry
    setNewest(this.#networks, key, { network, place, usedAt: clock.now() }, limits.networks)
  }

  #tellFull(): void {
    const { clock, log } = this.#options
    if (clock.now() - this.#toldAt < TELL_MS) return
    this.#toldAt = clock.now()
    log.warn('the relay is full', { networks: this.#networks.size })
  }

  #open(name: string, key: string): RelayNetwork {
    const { hostname, version, clock, randomBytes, limits } = this.#options
    const rate = bucketsOf(clock, limits.bytesPerSecond)
    return RelayNetwork.open({
      hostname,
      version,
      clock,
      randomBytes,
      name,
      maxMembers: limits.membersPerNetwork,
      mayRelay: (bytes) => {
        this.#noteUse(key)
        const isWithin = rate.take('all', bytes) && this.#total.take('all', bytes)
        if (isWithin) this.#tally.relayedBytes += bytes
        else this.#tally.droppedPackets += 1
        return isWithin
      },
      onRefused: () => {
        this.#tally.refusedConnections += 1
      },
      onEmpty: () => this.#remove(key),
    })
  }
}

/** Bursts last one second. */
function bucketsOf(clock: Clock, bytesPerSecond: number): TokenBuckets {
  return createTokenBuckets(clock, { perSecond: bytesPerSecond, burst: bytesPerSecond })
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
