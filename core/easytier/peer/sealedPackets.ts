import type { PacketCipher } from '../crypto/packetCipher'
import { encodePacket, MAX_FORWARDS, type Packet, packetFlags, packetTypes } from '../wire/packet'
import type { Connections } from './connections'
import type { PeerConnection } from './peerConnection'
import type { RouteTable } from './routing/routeTable'
import { UnreadableMembers } from './unreadableMembers'

export type SealedPacketsOptions = {
  readonly ownId: number
  readonly cipher: PacketCipher
  readonly table: RouteTable
  readonly connections: Connections
  /** Whether a payload or a call of this member is to be opened; others are dropped unread. */
  readonly mayRead: (peerId: number, isCall: boolean) => boolean
}

export type SealedPackets = ReturnType<typeof createSealedPackets>

/** Packets of this peer: sealed on their way out, and opened only when their sender may have sent them. */
export function createSealedPackets(options: SealedPacketsOptions) {
  const { ownId, cipher, table, mayRead } = options
  const { known } = options.connections
  const unreadable = new UnreadableMembers()
  return {
    viaOf,
    send,
    sendCall,
    open,
    maySpeakFor,
    sealsOtherwise: (peerId: number) => unreadable.has(peerId),
  }

  /** The connection that packets to a peer take. */
  function viaOf(peerId: number): PeerConnection | undefined {
    const hop = table.nextHop(peerId)
    return hop === undefined ? undefined : known.best(hop)
  }

  /** @returns by what it has left; undefined when the peer is not reachable */
  function send(peerId: number, type: number, flags: number, payload: Uint8Array, isSealed = true) {
    const connection = viaOf(peerId)
    if (!connection) return undefined
    const to = { from: ownId, to: peerId, type, flags, forwards: 1 }
    connection.send(isSealed ? cipher.seal(to, payload) : encodePacket(to, payload))
    return connection.origin.transport
  }

  /**
   * Shared nodes have no key, so calls to them are not sealed, also to those that are behind another one. Which of them a peer is
   * may be known later than the way to it.
   */
  function sendCall(peerId: number, isRequest: boolean, payload: Uint8Array): boolean {
    const isPlain = table.record(peerId)?.features.isSharedNode ?? known.best(peerId)?.isSharedNode
    if (isPlain === undefined) return false
    const type = isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse
    return send(peerId, type, 0, payload, !isPlain) !== undefined
  }

  /** @returns the payload of a packet for this peer; undefined when it is damaged, or its sender may not have sent it */
  function open(packet: Packet, connection: PeerConnection): Uint8Array | undefined {
    const { from, forwards } = packet
    if (from === ownId || forwards > MAX_FORWARDS) return undefined
    if (!maySpeakFor(connection, from)) return undefined
    const isDue = isAuthentic(packet, connection)
    if (isDue && !mayReadFrom(from, connection, isRpc(packet))) return undefined
    const payload = isDue ? cipher.open(packet) : undefined
    unreadable.note(from, payload !== undefined)
    return payload
  }

  /** Members share one key: what tells a neighbour from one that uses its id is the connection. Shared nodes forward. */
  function maySpeakFor(connection: PeerConnection, from: number): boolean {
    return connection.isSharedNode || connection.peerId === from || !known.best(from)
  }

  /**
   * Nothing of the header is proved. A neighbour that is no relay answers for all that comes through its connection, so that it cannot
   * have another member held back. Members of whom nothing is known yet are not counted: there is no end of their ids.
   */
  function mayReadFrom(from: number, connection: PeerConnection, isCall: boolean): boolean {
    if (connection.isSharedNode && from === connection.peerId) return true
    const relays = connection.isSharedNode || table.record(connection.peerId)?.features.avoidsRelay === false
    const sender = relays ? from : connection.peerId
    return !table.record(sender) || mayRead(sender, isCall)
  }

  /** Only calls of shared nodes may be unsealed: a relay must not be able to speak for a member. */
  function isAuthentic(packet: Packet, connection: PeerConnection): boolean {
    if ((packet.flags & packetFlags.encrypted) !== 0) return true
    return isRpc(packet) && isSharedNode(packet.from, connection)
  }

  function isSharedNode(peerId: number, connection: PeerConnection): boolean {
    if (peerId === connection.peerId) return connection.isSharedNode
    return table.record(peerId)?.features.isSharedNode ?? false
  }
}

export function isRpc({ type }: Packet): boolean {
  return type === packetTypes.rpcRequest || type === packetTypes.rpcResponse
}
