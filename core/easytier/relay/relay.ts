import { viewOf } from '#core/bytes'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { DIGEST_SIZE, isZeroDigest } from '../crypto/networkIdentity'
import { encodeHello } from '../peer/handshake'
import type { Connection } from '../transport/transports'
import { handshakeRequest } from '../wire/messages'
import { decodePacket, encodePacket, packetTypes } from '../wire/packet'
import { createByteRate, takeFromAll } from './byteRate'
import { createPrefixShares, type PrefixShare } from './prefixShares'
import { createRelayNetwork, type RelayNetwork } from './relayNetwork'

/** A shared node of several networks: members that cannot reach each other meet here, and exchange packets through it. */
export type Relay = {
  /** Serves a connection that was opened to one of our listeners. */
  take(connection: Connection): void
  counters(): RelayCounters
  /** Closes every connection and ends every timer. */
  close(): void
}

export type RelayCounters = {
  readonly networks: number
  readonly members: number
  readonly connections: number
  readonly relayedBytes: number
  /** Packets dropped because their network, their sender's address, or all together exceeded the rate. */
  readonly droppedPackets: number
  /** Connections that exceeded a limit, or sent no valid handshake. */
  readonly refusedConnections: number
}

export type RelayLimits = {
  readonly networks: number
  readonly membersPerNetwork: number
  /** IPv6: per network of 64 bits; those of 56 and 48 bits have 4 and 16 times as many. */
  readonly connectionsPerAddress: number
  /** Bytes a second that may be relayed from there; undefined = no limit. */
  readonly addressBytesPerSecond?: number | undefined
  /** Bytes a second that one network may relay; bursts of one second. */
  readonly bytesPerSecond: number
  /** The same for all networks together; undefined = no limit. */
  readonly totalBytesPerSecond?: number | undefined
}

export type RelayOptions = {
  readonly hostname: string
  readonly version: string
  readonly limits: RelayLimits
  /** Whether a network of this name may use the relay; by default every one. */
  readonly accepts?: (name: string) => boolean
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
}

/** How long a connection may take to name its network. */
const HANDSHAKE_MS = 5000
/** Connections that have not named their network. */
const MAX_UNIDENTIFIED = 256
const MAX_NAME_LENGTH = 256
/** The name of this node's own network, by which a peer recognises it as a shared node. */
const OWN_NETWORK = 'lantern-room-relay'

export function createRelay(options: RelayOptions): Relay {
  const { clock, limits, log, accepts = () => true } = options
  const total = createByteRate(limits.totalBytesPerSecond ?? Number.MAX_SAFE_INTEGER, clock)
  const networks = new Map<string, RelayNetwork>()
  const connections = new Map<number, Connection>()
  const shares = new Map<number, PrefixShare>()
  const prefixShares = createPrefixShares(
    { connections: limits.connectionsPerAddress, bytesPerSecond: limits.addressBytesPerSecond },
    clock,
  )
  const unidentified = new Set<number>()
  const counters = { relayedBytes: 0, droppedPackets: 0, refusedConnections: 0 }
  let lastId = 0
  let isClosed = false

  return {
    take(connection) {
      const isFull = isClosed || unidentified.size >= MAX_UNIDENTIFIED
      const share = isFull ? undefined : prefixShares.enter(connection.remote.address)
      if (!share) return refuse(connection)
      lastId += 1
      const id = lastId
      shares.set(id, share)
      connections.set(id, connection)
      unidentified.add(id)
      let network: RelayNetwork | undefined
      const cancel = clock.after(HANDSHAKE_MS, () => unidentified.has(id) && refuse(connection))
      void connection.closed.then(() => {
        cancel()
        share.leave()
        shares.delete(id)
        unidentified.delete(id)
        connections.delete(id)
        network?.removeConnection(id)
      })
      connection.onPacket((packet) => {
        if (!connections.has(id)) return
        if (!network && unidentified.delete(id)) network = enterNetwork(id, packet, connection)
        network?.receive(id, packet)
      })
    },

    counters: () => ({
      networks: networks.size,
      members: [...networks.values()].reduce((sum, { members }) => sum + members, 0),
      connections: connections.size,
      ...counters,
    }),

    close() {
      isClosed = true
      for (const network of [...networks.values()]) network.close()
      networks.clear()
      for (const connection of [...connections.values()]) connection.close()
    },
  }

  function refuse(connection: Connection): void {
    counters.refusedConnections += 1
    connection.close()
  }

  /** The network that the first packet names. @returns undefined when the connection is refused */
  function enterNetwork(id: number, packet: Uint8Array, connection: Connection): RelayNetwork | undefined {
    const network = networkOf(packet, connection)
    if (network) network.addConnection(id, { transport: connection.transport, isDialler: false })
    else refuse(connection)
    return network
  }

  /** The first member of a network brings the digest that later ones have to match. */
  function networkOf(packet: Uint8Array, connection: Connection): RelayNetwork | undefined {
    const hello = decodeHello(packet)
    if (!hello) return undefined
    const network = networks.get(hello.name)
    if (network) return network
    if (!isZeroDigest(hello.digest) && accepts(hello.name))
      return addNetwork(hello.name, hello.digest.slice())
    answerOtherNetwork(connection)
    return undefined
  }

  /** A peer without a secret, or of a network that is not accepted, gets a handshake before it is refused, as every refused peer does. */
  function answerOtherNetwork(connection: Connection): void {
    const from = viewOf(Uint8Array.from(options.randomBytes(4))).getUint32(0) || 1
    const answer = encodeHello(from, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
    connection.send(encodePacket({ from, to: 0, type: packetTypes.handshake }, answer))
  }

  function addNetwork(name: string, digest: Uint8Array): RelayNetwork | undefined {
    if (networks.size >= limits.networks) {
      log.warn('the relay is full', { networks: networks.size })
      return undefined
    }
    const rate = createByteRate(limits.bytesPerSecond, clock)
    const network = createRelayNetwork({
      name,
      digest,
      ownNetwork: OWN_NETWORK,
      clock,
      maxMembers: limits.membersPerNetwork,
      hostname: options.hostname,
      version: options.version,
      randomBytes: options.randomBytes,
      send: (id, packet) => connections.get(id)?.send(packet),
      close: (id) => connections.get(id)?.close(),
      mayRelay(id, bytes) {
        if (!takeFromAll([rate, total, ...(shares.get(id)?.rates ?? [])], bytes)) {
          counters.droppedPackets += 1
          return false
        }
        counters.relayedBytes += bytes
        return true
      },
      onRefused() {
        counters.refusedConnections += 1
      },
      onEmpty() {
        networks.delete(name)
        network.close()
      },
    })
    networks.set(name, network)
    return network
  }
}

/** @returns undefined when the packet is not a handshake, or names no possible network */
function decodeHello(bytes: Uint8Array): { readonly name: string; readonly digest: Uint8Array } | undefined {
  const packet = decodePacket(bytes)
  const hello = packet?.type === packetTypes.handshake ? handshakeRequest.decode(packet.payload) : undefined
  if (!hello || hello.networkSecretDigest.length !== DIGEST_SIZE) return undefined
  const { networkName: name, networkSecretDigest: digest } = hello
  if (name.length === 0 || name.length > MAX_NAME_LENGTH || name === OWN_NETWORK) return undefined
  return { name, digest }
}
