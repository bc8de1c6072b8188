import type { PacketCipher } from '../crypto/packetCipher'
import { encodePacket, MAX_FORWARDS, type Packet, packetFlags, packetTypes } from '../wire/packet'
import type { Connections } from './connections'
import type { PeerConnection } from './peerConnection'
import type { RouteTable } from './routing/routeTable'

export type SealedPacketsOptions = {
  readonly ownId: number
  readonly cipher: PacketCipher
  readonly table: RouteTable
  readonly connections: Connections
  readonly send: (id: number, packet: Uint8Array) => void
  /** Whether a payload or a call of this member is to be opened; others are dropped unread. */
  readonly mayRead: (peerId: number, isCall: boolean) => boolean
}

/** Packets of this peer: sealed on their way out, and opened only when their sender may have sent them. */
export class SealedPackets {
  readonly #options: SealedPacketsOptions

  constructor(options: SealedPacketsOptions) {
    this.#options = options
  }

  /** The connection that packets to a peer take. */
  viaOf(peerId: number): PeerConnection | undefined {
    const hop = this.#options.table.nextHop(peerId)
    return hop === undefined ? undefined : this.#options.connections.known.best(hop)
  }

  /** @returns false when the peer is not reachable */
  send(peerId: number, type: number, flags: number, payload: Uint8Array, isSealed = true): boolean {
    const connection = this.viaOf(peerId)
    if (!connection) return false
    const { ownId, cipher, send } = this.#options
    const to = { from: ownId, to: peerId, type, flags, forwards: 1 }
    send(connection.id, isSealed ? cipher.seal(to, payload) : encodePacket(to, payload))
    return true
  }

  /**
   * Shared nodes have no key, so calls to them are not sealed, also to those that are behind another one. Which of them a peer is
   * may be known later than the way to it.
   */
  sendCall(peerId: number, isRequest: boolean, payload: Uint8Array): boolean {
    const isPlain =
      this.#options.table.record(peerId)?.features.isSharedNode ??
      this.#options.connections.known.best(peerId)?.isSharedNode
    if (isPlain === undefined) return false
    const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
    return this.send(peerId, type, 0, payload, !isPlain)
  }

  /** @returns the payload of a packet for this peer; undefined when it is damaged, or its sender may not have sent it */
  open(packet: Packet, connection: PeerConnection): Uint8Array | undefined {
    const { from, forwards } = packet
    if (from === this.#options.ownId || forwards > MAX_FORWARDS) return undefined
    if (!this.#isAuthentic(packet, connection) || !this.maySpeakFor(connection, from)) return undefined
    return this.#mayReadFrom(from, connection, isRpc(packet)) ? this.#options.cipher.open(packet) : undefined
  }

  /** Members share one key: what tells a neighbour from one that uses its id is the connection. Shared nodes forward. */
  maySpeakFor(connection: PeerConnection, from: number): boolean {
    return (
      connection.isSharedNode || connection.peerId === from || !this.#options.connections.known.best(from)
    )
  }

  /**
   * Nothing of the header is proved. A neighbour that is no relay answers for all that comes through its connection, so that it cannot
   * have another member held back. Members of whom nothing is known yet are not counted: there is no end of their ids.
   */
  #mayReadFrom(from: number, connection: PeerConnection, isCall: boolean): boolean {
    if (connection.isSharedNode && from === connection.peerId) return true
    const neighbour = this.#options.table.record(connection.peerId)
    const relays = connection.isSharedNode || neighbour?.features.avoidsRelay === false
    const sender = relays ? from : connection.peerId
    return !this.#options.table.record(sender) || this.#options.mayRead(sender, isCall)
  }

  /** Only calls of shared nodes may be unsealed: a relay must not be able to speak for a member. @see docs/decisions.md, D66 */
  #isAuthentic(packet: Packet, connection: PeerConnection): boolean {
    if ((packet.flags & packetFlags.encrypted) !== 0) return true
    return isRpc(packet) && this.#isSharedNode(packet.from, connection)
  }

  #isSharedNode(peerId: number, connection: PeerConnection): boolean {
    if (peerId === connection.peerId) return connection.isSharedNode
    return this.#options.table.record(peerId)?.features.isSharedNode ?? false
  }
}

export function isRpc({ type }: Packet): boolean {
  return type === packetTypes.rpcRequest || type === packetTypes.rpcResponse
}
