import type { Clock } from '#core/clock'
import { type NetworkIdentity, networkKey } from '../crypto/networkIdentity'
import { createPacketCipher } from '../crypto/packetCipher'
import type { OnRefused } from '../limitLog'
import type { RpcMethodName } from '../wire/messages'
import { encodePacket, MAX_FORWARDS, type Packet, packetFlags, packetTypes } from '../wire/packet'
import type { PeerRecord, ReceivedRecord } from '../wire/peerRecord'
import { type Connections, createConnections } from './connections'
import { memberHandshake } from './handshake'
import type { ConnectionOrigin, ConnectionProblem, PeerConnection } from './peerConnection'
import type { RouteTable } from './routeTable'
import { createRouting } from './routing'
import type { CallDone, OnCallFailed, Serve } from './rpcCalls'

/** A peer of one network: it owns no socket and no timer but those of the clock it is given. */
export type Peer = {
  readonly ownId: number
  addLink(id: number, origin: ConnectionOrigin): void
  removeLink(id: number): void
  /** A whole packet that a link brought; it must not change afterwards. */
  receive(id: number, packet: Uint8Array): void
  /** Members and shared nodes that can be reached now, this one left out. */
  peers(): readonly RemotePeer[]
  peer(peerId: number): RemotePeer | undefined
  /** Those whose handshake is done. */
  connections(): readonly PeerConnection[]
  /** After a change of the network: drops every connection that does not answer soon. */
  suspectConnections(): void
  own(): PeerRecord
  setOwn(change: Parameters<RouteTable['setOwn']>[0]): void
  /**
   * Sends a sealed packet; the payload is read before this returns.
   * @returns false when there is no way to the peer
   */
  send(peerId: number, type: number, payload: Uint8Array, flags?: number): boolean
  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void
  /** Closes every link; nothing is called back afterwards. */
  close(): void
}

export type RemotePeer = {
  readonly record: ReceivedRecord
  /** The best link to it, when there is one. */
  readonly link: PeerConnection | undefined
  /** The link that packets to it take: its own, or a relay's. */
  readonly via: PeerConnection | undefined
}

export type PeerOptions = {
  readonly identity: NetworkIdentity
  /** All of our record but what the table fills in. */
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly send: (link: number, packet: Uint8Array) => void
  readonly close: (link: number) => void
  readonly onLinkOpen: (link: PeerConnection) => void
  readonly onLinkClosed: (link: PeerConnection, problem: ConnectionProblem, wasOpen: boolean) => void
  /** Who is there, or how they are reached, has changed. */
  readonly onPeers: () => void
  /** A sealed packet of a member for us: KCP or IP. */
  readonly onPayload: (type: number, payload: Uint8Array, from: number) => void
  readonly onRefused?: OnRefused
  readonly onCallFailed?: OnCallFailed
  /** Calls beside those that every peer answers: addresses and hole punching. */
  readonly serve: Serve
}

export function createPeer(options: PeerOptions): Peer {
  const { identity, clock, record, randomBytes } = options
  const ownId = record.peerId
  const seal = createPacketCipher(networkKey(identity.secret), randomBytes)
  let isClosed = false

  const routing = createRouting({
    record,
    clock,
    randomBytes,
    networkName: identity.name,
    serve: options.serve,
    links: () => links,
    send: (peerId, isRequest, payload) =>
      sendRpc(peerId, isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse, payload),
    onChanged: options.onPeers,
    ...(options.onRefused && { onRefused: options.onRefused }),
    ...(options.onCallFailed && { onCallFailed: options.onCallFailed }),
  })
  const { table, calls, changed } = routing
  const links: Connections = createConnections({
    ownId,
    clock,
    send: options.send,
    close: options.close,
    onPacket,
    handshake: memberHandshake(identity, ownId),
    onOpen(link) {
      routing.opened(link)
      options.onLinkOpen(link)
    },
    onClosed(link, problem, wasOpen) {
      routing.closed(link, wasOpen)
      if (!isClosed) options.onLinkClosed(link, problem, wasOpen)
    },
    onChange: () => !isClosed && options.onPeers(),
    isUsed: ({ peerId, isSharedNode }) => !isSharedNode || leadsToMembers(peerId) || isAlone(),
  })

  return {
    ownId,
    addLink: (id, origin) => links.add(id, origin),
    removeLink: (id) => links.remove(id),
    receive: (id, packet) => links.receive(id, packet),
    connections: links.established,
    suspectConnections: links.suspectAll,
    own: table.own,
    peers: () =>
      table.reachableRecords().flatMap(({ peerId }) => (peerId === ownId ? [] : (peer(peerId) ?? []))),
    peer,
    setOwn(change) {
      table.setOwn(change)
      changed()
    },
    send: (peerId, type, payload, flags = 0) => sendVia(peerId, type, flags, payload, true),
    call: calls.call,
    close() {
      isClosed = true
      routing.close()
      links.close()
    },
  }

  function peer(peerId: number): RemotePeer | undefined {
    const found = table.record(peerId)
    if (!found || peerId === ownId || !table.isReachable(peerId)) return undefined
    const hop = table.nextHop(peerId)
    return { record: found, link: links.best(peerId), via: hop === undefined ? undefined : links.best(hop) }
  }

  /** Then somebody may come by any of the shared nodes, and by no other way. */
  function isAlone(): boolean {
    return table.reachableRecords().every(({ peerId, features }) => peerId === ownId || features.isSharedNode)
  }

  function leadsToMembers(sharedNode: number): boolean {
    return table
      .reachableRecords()
      .some(
        ({ peerId, features }) =>
          peerId !== ownId && !features.isSharedNode && table.nextHop(peerId) === sharedNode,
      )
  }

  function sendVia(
    peerId: number,
    type: number,
    flags: number,
    payload: Uint8Array,
    isSealed: boolean,
  ): boolean {
    const hop = table.nextHop(peerId)
    const link = hop === undefined ? undefined : links.best(hop)
    if (!link) return false
    const to = { from: ownId, to: peerId, type, flags, forwards: 1 }
    options.send(link.id, isSealed ? seal.seal(to, payload) : encodePacket(to, payload))
    return true
  }

  /** Shared nodes have no key: they are spoken to in plain, also those behind another one. */
  function sendRpc(peerId: number, type: number, payload: Uint8Array): boolean {
    const link = links.best(peerId)
    const isPlain = table.record(peerId)?.features.isSharedNode ?? (link ? link.isSharedNode : true)
    return sendVia(peerId, type, 0, payload, !isPlain)
  }

  function onPacket(packet: Packet, link: PeerConnection): void {
    // Nothing is passed on for others: our record says so.
    if (packet.to !== ownId || packet.forwards > MAX_FORWARDS || packet.from === ownId) return
    const isRpc = packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse
    const isSealed = (packet.flags & packetFlags.encrypted) !== 0
    // Whoever carries packets must not be able to speak for a member.
    if (!isSealed && !(isRpc && isSharedNode(packet.from, link))) return
    const payload = seal.open(packet)
    if (!payload) return
    // A copy: records are kept as they came, and the payload is a part of something larger.
    if (isRpc) calls.receive(payload.slice(), packet.from)
    // Nobody could be answered who is not seen; and whoever makes up senders would be remembered for each.
    else if (table.isReachable(packet.from)) options.onPayload(packet.type, payload, packet.from)
  }

  function isSharedNode(peerId: number, link: PeerConnection): boolean {
    if (peerId === link.peerId) return link.isSharedNode
    return table.record(peerId)?.features.isSharedNode ?? false
  }
}
