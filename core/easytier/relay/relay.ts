import { DIGEST_SIZE, isZeroDigest } from '../crypto/networkIdentity'
import { encodeHello } from '../peer/handshake'
import { randomId } from '../random'
import type { Connection } from '../transport/transports'
import { parseIpv6 } from '../wire/addresses'
import { encodePacket, packetTypes } from '../wire/packet'
import { encodeRefusal, type Refusal } from '../wire/refusal'
import { OWN_NETWORK } from './relayNetwork'
import { decodeHello, RelayNetworks, type Tally } from './relayNetworks'
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
  /** Oldest first, with the place that each comes from. */
  const unidentified = new Map<Connection, string>()
  const tally = { relayedBytes: 0, droppedPackets: 0, refusedConnections: 0, displaced: 0 }
  const networks = new RelayNetworks(options, tally)
  let isClosed = false

  return {
    /** Serves a connection that was opened to one of our listeners. */
    take(connection: Connection) {
      if (isClosed) return refuse(connection)
      const place = placeOf(connection.remote.address)
      if (unidentifiedFrom(place) >= limits.connectionsPerAddress) return refuse(connection, 'address-limit')
      if (unidentified.size >= MAX_UNIDENTIFIED) displaceOldest()
      connections.add(connection)
      unidentified.set(connection, place)
      let receive: ((packet: Uint8Array) => void) | undefined
      const cancel = clock.after(HANDSHAKE_MS, () => unidentified.has(connection) && refuse(connection))
      void connection.closed.then(() => {
        cancel()
        unidentified.delete(connection)
        connections.delete(connection)
      })
      connection.onPacket((packet) => {
        if (unidentified.delete(connection)) receive = enterNetwork(packet, connection, place)
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

  function unidentifiedFrom(place: string): number {
    return [...unidentified.values()].filter((one) => one === place).length
  }

  function refuse(connection: Connection, why?: Refusal): void {
    tally.refusedConnections += 1
    if (why) connection.send(encodeRefusal(why))
    connection.close()
  }

  /** A handshake takes one round trip, so the connection that has waited longest is the least likely to send one. */
  function displaceOldest(): void {
    const [oldest] = unidentified.keys()
    if (!oldest) return
    unidentified.delete(oldest)
    tally.displaced += 1
    oldest.close()
  }

  /** Joins the network that the first packet names. @returns what takes its packets; undefined when the connection is refused */
  function enterNetwork(packet: Uint8Array, connection: Connection, place: string) {
    const hello = decodeHello(packet)
    const isOther = hello !== undefined && (isZeroDigest(hello.digest) || !accepts(hello.name))
    // A peer without a secret, or of a network that is not accepted, gets a handshake before it is refused, as every refused peer does.
    if (isOther) {
      const from = randomId(options.randomBytes)
      const answer = encodeHello(from, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
      connection.send(encodePacket({ from, to: 0, type: packetTypes.handshake }, answer))
    }
    const entered = hello && !isOther ? networks.enter(hello, place) : undefined
    const receive = typeof entered === 'object' ? entered.enter(connection) : undefined
    if (!receive) refuse(connection, typeof entered === 'object' ? 'node-full' : entered)
    return receive
  }
}

/** An IPv4 address, or the IPv6 network of 64 bits, which belongs to one customer at least. */
function placeOf(address: string): string {
  const words = parseIpv6(address)
  return words === undefined ? address : `${words[0]}:${words[1]}`
}
