import { createTokenBuckets } from '@lantern-room/base/limits'
import { DIGEST_SIZE } from '../crypto/networkIdentity'
import { isEstablished, type MonitoredConnection, noteRelayed } from '../peer/connectionState'
import { Connections } from '../peer/connections'
import { encodeHello, type Handshake } from '../peer/handshake'
import type { ConnectionsListener, PeerConnection } from '../peer/peerConnection'
import { Routing } from '../peer/routing'
import { newRecord } from '../peer/routing/ownRoute'
import { RouteTable } from '../peer/routing/routeTable'
import { isRpc } from '../peer/sealedPackets'
import { randomId } from '../random'
import type { Connection } from '../transport/transports'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  type Packet,
  packetFlags,
  packetTypes,
} from '../wire/packet'
import { NO_FEATURES } from '../wire/peerRecord'
import { encodeRefusal } from '../wire/refusal'
import type { RelayOptions } from './relayOptions'

export type RelayNetworkOptions = Omit<RelayOptions, 'limits' | 'accepts' | 'log'> & {
  readonly name: string
  readonly maxMembers: number
  readonly mayRelay: (bytes: number) => boolean
  readonly onRefused: () => void
  readonly onEmpty: () => void
}

type TokenBuckets = ReturnType<typeof createTokenBuckets>

/** The name of this node's own network, by which a peer recognises it as a shared node. */
export const OWN_NETWORK = 'lantern-room-relay'

/**
 * Limit per second of the requests that the members of one network send to this node itself, routes and pings. They cost
 * more than forwarding, and the routes of one member are sent to all.
 */
const HEARD_BYTES = { perSecond: 512 * 1024, burst: 512 * 1024 }
/** Of each member: one that floods leaves the others theirs. Two whole route tables at once, then the longest record each second. */
const MEMBER_BYTES = { perSecond: 16 * 1024, burst: 128 * 1024 }
/** For each member that a network may have: some are connected over more than one transport. */
const CONNECTIONS_OF_MEMBER = 4
const TOLD_BYTES = { perSecond: 2 * 1024 * 1024, burst: 2 * 1024 * 1024 }

/** In the order in which they are made: each uses only those before it. */
type RelayNetworkParts = {
  readonly ownId: number
  readonly connections: Connections
  readonly table: RouteTable
  readonly routing: Routing
}

/**
 * One network at a shared node: it keeps and distributes the members' routes, and forwards packets between them unread.
 */
export class RelayNetwork {
  readonly #options: RelayNetworkOptions
  readonly #ownId: number
  readonly #connections: Connections
  readonly #table: RouteTable
  readonly #routing: Routing
  readonly #heard: TokenBuckets
  readonly #heardOfMember: TokenBuckets
  #isClosed = false

  /** Looks after its routes until `close`, and takes connections by `enter`. */
  static open(options: RelayNetworkOptions): RelayNetwork {
    const { clock, randomBytes, maxMembers } = options
    const ownId = randomId(randomBytes)
    const connections = new Connections({ clock, ownId, handshake: relayHandshake(maxMembers, ownId) })
    const table = new RouteTable({ record: relayRecord(options, ownId), unixTime: clock.unixTime })
    const routing = openRouting(options, { ownId, connections, table })
    const network = new RelayNetwork(options, { ownId, connections, table, routing })
    connections.listen(network.#listener())
    return network
  }

  private constructor(options: RelayNetworkOptions, parts: RelayNetworkParts) {
    this.#options = options
    this.#ownId = parts.ownId
    this.#connections = parts.connections
    this.#table = parts.table
    this.#routing = parts.routing
    this.#heard = createTokenBuckets(options.clock, HEARD_BYTES)
    this.#heardOfMember = createTokenBuckets(options.clock, MEMBER_BYTES)
  }

  /** Takes a connection over. @returns what takes its packets, from the handshake on; undefined when there are too many */
  enter(transport: Connection): ((bytes: Uint8Array) => void) | undefined {
    const { maxMembers } = this.#options
    if (this.#connections.known.size >= maxMembers * CONNECTIONS_OF_MEMBER) return undefined
    const connection = this.#connections.add(transport, { isDialler: false })
    return (bytes) => this.#receive(connection, bytes)
  }

  /** Peers with a finished handshake. */
  members(): number {
    return this.#connections.known.neighbours().length
  }

  close(): void {
    this.#isClosed = true
    this.#routing.close()
    this.#connections.close()
  }

  #listener(): ConnectionsListener {
    return {
      onPacket: (packet, connection) => this.#receiveOwn(packet, connection),
      onChange: () => {},
      isUsed: () => false,
      onOpen: (connection) => this.#routing.opened(connection),
      onClosed: (connection, problem, wasOpen) => {
        const { onRefused, onEmpty } = this.#options
        if (problem === 'refused' || problem === 'node-full') onRefused()
        // It is still open.
        if (problem === 'node-full') connection.send(encodeRefusal(problem))
        this.#routing.closed(connection, wasOpen)
        if (!this.#isClosed && this.#connections.known.size === 0) onEmpty()
      },
    }
  }

  #receive(connection: MonitoredConnection, bytes: Uint8Array): void {
    const packet = this.#isClosed ? undefined : decodePacket(bytes)
    if (!packet) return
    // The packet is forwarded unchanged: its content belongs to the members.
    if (packet.to !== this.#ownId && packet.to !== 0) this.#relay(connection, packet, bytes)
    else if (packet.to === 0 || this.#mayHear(connection, bytes.length))
      this.#connections.receive(connection, bytes)
  }

  #mayHear({ peerId }: MonitoredConnection, bytes: number): boolean {
    return this.#heardOfMember.take(String(peerId), bytes) && this.#heard.take('all', bytes)
  }

  #relay(connection: MonitoredConnection, packet: Packet, bytes: Uint8Array): void {
    const { clock, mayRelay } = this.#options
    // The answer to a ping of ours has the ping's addresses: from us, to the member.
    const isPong = packet.type === packetTypes.pong && packet.from === this.#ownId
    if (isPong || !isEstablished(connection.state)) {
      this.#connections.receive(connection, bytes)
      return
    }
    // It proves that the connection works, so that it is not closed for unanswered pings.
    noteRelayed(connection, clock.now())
    const target = this.#connections.known.best(packet.to)
    if (!target || target === connection || packet.forwards > MAX_FORWARDS) return
    if (this.#maySendFor(connection.peerId, packet.from) && mayRelay(bytes.length)) target.send(bytes)
  }

  /**
   * Members pass on packets of others that they are connected to. A sender that is also connected to us must have listed
   * that connection in its own row; nothing is known of one that is not.
   */
  #maySendFor(sender: number, from: number): boolean {
    if (from === sender) return true
    if (from === 0 || from === this.#ownId) return false
    if (!this.#connections.known.best(from)) return true
    const row = this.#table.reachableRows().find(({ peerId }) => peerId === from)
    return row?.connected.includes(sender) === true
  }

  #receiveOwn(packet: Packet, connection: PeerConnection): void {
    const isPlain = (packet.flags & packetFlags.encrypted) === 0
    if (isRpc(packet) && isPlain && packet.from === connection.peerId)
      this.#routing.calls.receive(packet.payload, packet.from)
  }
}

/** The routes of a network. What it tells its members has a limit per second. */
function openRouting(
  { clock, randomBytes, name }: RelayNetworkOptions,
  { ownId, connections, table }: Omit<RelayNetworkParts, 'routing'>,
): Routing {
  const told = createTokenBuckets(clock, TOLD_BYTES)
  return Routing.open({
    clock,
    randomBytes,
    networkName: name,
    table,
    connections,
    // All members of the network are neighbours here.
    neighboursSpeakForThemselves: true,
    send: (peerId, isRequest, payload) => {
      const connection = connections.known.best(peerId)
      const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
      if (!connection || !told.take('all', payload.length)) return false
      connection.send(encodePacket({ from: ownId, to: peerId, type }, payload))
      return true
    },
  })
}

/** The record of a relay, as its members receive it. */
function relayRecord(options: Pick<RelayOptions, 'hostname' | 'version' | 'randomBytes'>, peerId: number) {
  return newRecord(
    {
      peerId,
      hostname: `PublicServer_${options.hostname}`,
      address: undefined,
      programVersion: options.version,
      features: { ...NO_FEATURES, isSharedNode: true },
    },
    options.randomBytes,
  )
}

/**
 * Connections come here by their network's name and digest. A peer id that cannot be a member's gets the answer that
 * peers of other networks get, and is closed. If the network is full there is no answer, but a refusal: an answer and a close
 * would be taken for a wrong code.
 */
function relayHandshake(maxMembers: number, ownId: number): Handshake {
  const answer = encodeHello(ownId, OWN_NETWORK, new Uint8Array(DIGEST_SIZE))
  const refusal = { problem: 'refused', isSharedNode: false } as const
  return {
    hello: () => answer,
    verify({ myPeerId }, _origin, members) {
      if (myPeerId === 0 || myPeerId === ownId) return { ...refusal, answer }
      // A member that is connected already may connect over another transport, too.
      const isFull = members.length >= maxMembers && !members.includes(myPeerId)
      return isFull
        ? { answer: undefined, problem: 'node-full', isSharedNode: false }
        : { answer, problem: undefined, isSharedNode: false }
    },
  }
}
