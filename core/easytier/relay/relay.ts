import { DIGEST_SIZE, isZeroDigest } from '../crypto/networkIdentity'
import { encodeHello } from '../peer/handshake'
import { randomId } from '../random'
import type { Connection } from '../transport/transports'
import { parseIpv6 } from '../wire/addresses'
import { encodePacket, packetTypes } from '../wire/packet'
import { OWN_NETWORK } from './relayNetwork'
import { createRelayNetworks, decodeHello, type Tally } from './relayNetworks'
import type { RelayOptions } from './relayOptions'

export type RelayCounters = Readonly<Tally> & {
  readonly networks: number
  readonly members: number
  readonly connections: number
}

/** How long a connection may take to name its network. */
const HANDSHAKE_MS = 5000
/** Connections that have not named their network. */
const MAX_UNIDENTIFIED = 256

export type Relay = ReturnType<typeof createRelay>

/**
 * A shared node of several networks: members that cannot reach each other meet here, and exchange packets through it.
 * @example
 * const relay = createRelay({ hostname: 'node', version: '1.0', limits, clock, randomBytes, log })
 * await transports.listenTcp(11010, relay.take, signal)
 * // later
 * relay.close()
 */
export function createRelay(options: RelayOptions) {
  const { clock, limits, accepts = () => true } = options
  const connections = new Set<Connection>()
  /** How many there are from each place. */
  const places = new Map<string, number>()
  /** Oldest first. */
  const unidentified = new Set<Connection>()
  const tally = { relayedBytes: 0, droppedPackets: 0, refusedConnections: 0, displaced: 0 }
  const networks = createRelayNetworks(options, tally)
  let isClosed = false

  return {
    /** Serves a connection that was opened to one of our listeners. */
    take(connection: Connection) {
      const place = placeOf(connection.remote.address)
      const fromThere = places.get(place) ?? 0
      if (isClosed || fromThere >= limits.connectionsPerAddress) return refuse(connection)
      places.set(place, fromThere + 1)
      if (unidentified.size >= MAX_UNIDENTIFIED) displaceOldest()
      connections.add(connection)
      unidentified.add(connection)
      let receive: ((packet: Uint8Array) => void) | undefined
      const cancel = clock.after(HANDSHAKE_MS, () => unidentified.has(connection) && refuse(connection))
      void connection.closed.then(() => {
        cancel()
        leave(place)
        unidentified.delete(connection)
        connections.delete(connection)
      })
      connection.onPacket((packet) => {
        if (unidentified.delete(connection)) receive = enterNetwork(packet, connection)
        receive?.(packet)
      })
    },

    counters: (): RelayCounters => ({
      networks: networks.size,
      members: networks.members,
      connections: connections.size,
      ...tally,
    }),

    /** Closes every connection and ends every timer. */
    close(): void {
      isClosed = true
      networks.close()
      for (const connection of [...connections]) connection.close()
    },
  }

  function leave(place: string): void {
    const left = (places.get(place) ?? 1) - 1
    if (left > 0) places.set(place, left)
    else places.delete(place)
  }

  function refuse(connection: Connection): void {
    tally.refusedConnections += 1
    connection.close()
  }

  /** A handshake takes one round trip, so the connection that has waited longest is the least likely to send one. */
  function displaceOldest(): void {
    const [oldest] = unidentified
    if (!oldest) return
    unidentified.delete(oldest)
    tally.displaced += 1
    oldest.close()
  }

  /** Joins the network that the first packet names. @returns what takes its packets; undefined when the connection is refused */
  function enterNetwork(packet: Uint8Array, connection: Connection) {
    const hello = decodeHello(packet)
    const isOther = hello !== undefined && (isZeroDigest(hello.digest) || !accepts(hello.name))
    // A peer without a secret, or of a network that is not accepted, gets a handshake before it is refused, as every refused peer does.
    if (isOther) {
      const from = randomId(options.randomBytes)
      const answer = encodeHello(from, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
      connection.send(encodePacket({ from, to: 0, type: packetTypes.handshake }, answer))
    }
    const network = hello && !isOther ? networks.enter(hello) : undefined
    if (!network) refuse(connection)
    return network?.enter(connection)
  }
}

/** An IPv4 address, or the IPv6 network of 64 bits, which belongs to one customer at least. */
function placeOf(address: string): string {
  const words = parseIpv6(address)
  return words === undefined ? address : `${words[0]}:${words[1]}`
}
