import { createTokenBuckets, type TokenBuckets } from '#core/tokenBuckets'
import { Connections } from '../peer/connections'
import type { ConnectionsListener, PeerConnection } from '../peer/peerConnection'
import { Routing } from '../peer/routing'
import { isRpc } from '../peer/sealedPackets'
import { randomPeerId } from '../random'
import {
  decodePacket,
  encodePacket,
  MAX_FORWARDS,
  type Packet,
  packetFlags,
  packetTypes,
} from '../wire/packet'
import { relayHandshake, relayRecord } from './relayIdentity'
import type { RelayOptions } from './relayOptions'

export type RelayNetworkOptions = Omit<RelayOptions, 'limits' | 'accepts' | 'log'> & {
  readonly name: string
  readonly maxMembers: number
  readonly send: (id: number, packet: Uint8Array) => void
  readonly close: (id: number) => void
  readonly mayRelay: (bytes: number) => boolean
  readonly onRefused: () => void
  readonly onEmpty: () => void
}

/**
 * Limit per second of the requests that the members of one network send to this node itself, routes and pings. They cost
 * more than forwarding, and the routes of one member are sent to all.
 */
const HEARD_BYTES = { perSecond: 512 * 1024, burst: 512 * 1024 }
const TOLD_BYTES = { perSecond: 2 * 1024 * 1024, burst: 2 * 1024 * 1024 }

/**
 * One network at a shared node: it keeps and distributes the members' routes, and forwards packets between them unread.
 */
export class RelayNetwork {
  readonly connections: Connections
  readonly #options: RelayNetworkOptions
  readonly #ownId: number
  readonly #heard: TokenBuckets
  readonly #told: TokenBuckets
  /** Peer ids by connection. */
  readonly #open = new Map<number, number>()
  readonly #routing: Routing
  #isClosed = false

  constructor(options: RelayNetworkOptions) {
    const { clock, randomBytes } = options
    this.#options = options
    this.#ownId = randomPeerId(randomBytes)
    this.#heard = createTokenBuckets(clock, HEARD_BYTES)
    this.#told = createTokenBuckets(clock, TOLD_BYTES)
    this.connections = new Connections({
      ownId: this.#ownId,
      clock,
      send: options.send,
      close: options.close,
      handshake: relayHandshake(options.maxMembers, this.#ownId),
      listener: this.#listener(),
    })
    this.#routing = new Routing({
      clock,
      randomBytes,
      networkName: options.name,
      onChanged: () => {},
      record: relayRecord(options, this.#ownId),
      connections: this.connections,
      // All members of the network are neighbours here.
      neighboursSpeakForThemselves: true,
      send: (peerId, isRequest, payload) => this.#sendCall(peerId, isRequest, payload),
    })
  }

  receive(id: number, bytes: Uint8Array): void {
    const packet = this.#isClosed ? undefined : decodePacket(bytes)
    if (!packet) return
    // The packet is forwarded unchanged: its content belongs to the members.
    if (packet.to !== this.#ownId && packet.to !== 0) this.#relay(id, packet, bytes)
    else if (packet.to === 0 || this.#heard.take('all', bytes.length)) this.connections.receive(id, bytes)
  }

  /** Peers with a finished handshake. */
  get members(): number {
    return this.connections.known.neighbours().length
  }

  close(): void {
    this.#isClosed = true
    this.#routing.close()
    this.connections.close()
  }

  #sendCall(peerId: number, isRequest: boolean, payload: Uint8Array): boolean {
    const connection = this.connections.known.best(peerId)
    const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
    if (!connection || !this.#told.take('all', payload.length)) return false
    this.#options.send(connection.id, encodePacket({ from: this.#ownId, to: peerId, type }, payload))
    return true
  }

  #listener(): ConnectionsListener {
    return {
      onPacket: (packet, connection) => this.#receiveOwn(packet, connection),
      onChange: () => {},
      isUsed: () => false,
      onOpen: (connection) => {
        this.#open.set(connection.id, connection.peerId)
        this.#routing.opened(connection)
      },
      onClosed: (connection, problem, wasOpen) => {
        this.#open.delete(connection.id)
        if (problem === 'refused') this.#options.onRefused()
        this.#routing.closed(connection, wasOpen)
        if (!this.#isClosed && this.connections.known.size === 0) this.#options.onEmpty()
      },
    }
  }

  #relay(id: number, packet: Packet, bytes: Uint8Array): void {
    // The answer to a ping of ours has the ping's addresses: from us, to the member.
    const isPong = packet.type === packetTypes.pong && packet.from === this.#ownId
    const sender = this.#open.get(id)
    if (isPong || sender === undefined) {
      this.connections.receive(id, bytes)
      return
    }
    // It proves that the connection works, so that it is not closed for unanswered pings.
    this.connections.noteRelayed(id)
    const target = this.connections.known.best(packet.to)
    if (!target || target.id === id || packet.forwards > MAX_FORWARDS) return
    if (packet.from !== sender && !this.#maySendFor(sender, packet.from)) return
    if (this.#options.mayRelay(bytes.length)) this.#options.send(target.id, bytes)
  }

  /**
   * Members pass on packets of others that they are connected to. A sender that is also connected to us must have listed
   * that connection in its own row; nothing is known of one that is not.
   */
  #maySendFor(sender: number, from: number): boolean {
    if (from === 0 || from === this.#ownId) return false
    if (!this.connections.known.best(from)) return true
    const row = this.#routing.table.reachableRows().find(({ peerId }) => peerId === from)
    return row?.connected.includes(sender) === true
  }

  #receiveOwn(packet: Packet, connection: PeerConnection): void {
    const isPlain = (packet.flags & packetFlags.encrypted) === 0
    if (isRpc(packet) && isPlain && packet.from === connection.peerId)
      this.#routing.calls.receive(packet.payload, packet.from)
  }
}
