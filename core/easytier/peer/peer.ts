import type { Clock } from '#core/async/clock'
import { createEmitter, type Emitter } from '#core/async/emitter'
import { type NetworkIdentity, networkKey } from '../crypto/networkIdentity'
import { createPacketCipher } from '../crypto/packetCipher'
import type { OnRefused } from '../limitLog'
import type { RpcMethodName } from '../wire/messages'
import { encodePacket, MAX_FORWARDS, type Packet, packetFlags, packetTypes } from '../wire/packet'
import type { PeerRecord, ReceivedRecord } from '../wire/peerRecord'
import { Connections } from './connections'
import { memberHandshake } from './handshake'
import { createMemberRelay, type RelayTotals } from './memberRelay'
import type { ConnectionOrigin, ConnectionProblem, PeerConnection } from './peerConnection'
import { groupOfPeer } from './peerConnection'
import { createRouting } from './routing'
import type { RouteTable } from './routing/routeTable'
import type { CallDone, OnCallFailed, RpcCalls } from './rpcCalls'

/** A peer of one network. It owns no sockets, and no timers but those of the clock that it is given. @see docs/decisions.md, D63 */
export type Peer = {
  readonly ownId: number
  addConnection(id: number, origin: ConnectionOrigin): void
  /** The transport of a connection has closed. */
  removeConnection(id: number): void
  /** Takes a whole packet that a connection brought; it must not change afterwards. */
  receive(id: number, packet: Uint8Array): void
  /** Members and shared nodes that are reachable now, this one excluded. */
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
   * @returns false when the peer is not reachable
   */
  send(peerId: number, type: number, payload: Uint8Array, flags?: number): boolean
  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void
  /** What was forwarded between other members; undefined without `relays`. */
  relayed(): RelayTotals | undefined
  /** Registers what answers a method. Routes and the peer map are answered already; other methods are refused. */
  handle: RpcCalls['handle']
  /** @returns a function that unsubscribes */
  on<Event extends keyof PeerEvents>(event: Event, listener: (detail: PeerEvents[Event]) => void): () => void
  /** Sets the one listener for sealed packets (KCP and IP) of members to this one. */
  onPayload(listener: PayloadListener): void
  /** Closes every connection; no listener is called afterwards. */
  close(): void
}

export type PeerEvents = {
  /** The handshake is done. */
  connectionOpened: PeerConnection
  connectionClosed: ClosedConnection
  /** Other peers are reachable now, or over other connections. */
  peersChanged: undefined
}

export type ClosedConnection = {
  readonly connection: PeerConnection
  readonly problem: ConnectionProblem
  /** Whether the handshake was done. */
  readonly wasOpen: boolean
}

export type PayloadListener = (type: number, payload: Uint8Array, from: number) => void

export type RemotePeer = {
  readonly record: ReceivedRecord
  /** The best connection to the peer itself, if there is one. */
  readonly connection: PeerConnection | undefined
  /** The connection that packets to the peer take: its own, or a relay's. */
  readonly via: PeerConnection | undefined
}

export type PeerOptions = {
  readonly identity: NetworkIdentity
  /** Our record without the fields that the table fills in. */
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  /** Sends a packet over the connection with this id. */
  readonly send: (id: number, packet: Uint8Array) => void
  readonly close: (id: number) => void
  /** Whether a payload or a call of this member is to be opened; others are dropped unread. */
  readonly mayRead?: (peerId: number, isCall: boolean) => boolean
  /** Forwards packets between other members; `avoidsRelay` of the record says whether they are invited to send them. */
  readonly relays?: { readonly bytesPerSecond: number } | undefined
  /** @see RelayChoiceOptions */
  readonly offersRelay?: (record: PeerRecord) => boolean
  /** Whether a member is to stay where there are too many; by default none is. */
  readonly isSettled?: (record: PeerRecord) => boolean
  readonly onRefused?: OnRefused
  /** @see RpcCallsOptions */
  readonly onCallFailed?: OnCallFailed
}

export function createPeer(options: PeerOptions): Peer {
  const { identity, clock, record, randomBytes, mayRead = () => true } = options
  const ownId = record.peerId
  const cipher = createPacketCipher(networkKey(identity.secret), randomBytes)
  const emitters: { readonly [Event in keyof PeerEvents]: Emitter<PeerEvents[Event]> } = {
    connectionOpened: createEmitter(),
    connectionClosed: createEmitter(),
    peersChanged: createEmitter(),
  }
  let onPayload: PayloadListener = () => {}
  let isClosed = false

  const connections = new Connections({
    ownId,
    clock,
    send: options.send,
    close: options.close,
    handshake: memberHandshake(identity, ownId),
  })
  const routing = createRouting({
    record,
    clock,
    randomBytes,
    connections,
    networkName: identity.name,
    send: (peerId, isRequest, payload) =>
      sendRpc(peerId, isRequest ? packetTypes.rpcRequest : packetTypes.rpcResponse, payload),
    onChanged: () => emit('peersChanged', undefined),
    standing: {
      groupOf: (peerId) => groupOfPeer({ connection: connections.best(peerId), via: viaOf(peerId) }),
      isSettled: options.isSettled ?? (() => false),
      onDisplaced(peerId) {
        for (const connection of connections.established())
          if (connection.peerId === peerId) connections.drop(connection.id, 'refused')
      },
    },
    ...(options.offersRelay && { offersRelay: options.offersRelay }),
    ...(options.onRefused && { onRefused: options.onRefused }),
    ...(options.onCallFailed && { onCallFailed: options.onCallFailed }),
  })
  const { table, calls, changed } = routing
  const relay =
    options.relays &&
    createMemberRelay({
      ...options.relays,
      ownId,
      clock,
      send: options.send,
      isMember: (peerId) => peer(peerId)?.record.features.isSharedNode === false,
      connectionTo: (peerId) => connections.best(peerId),
      maySpeakFor,
    })
  connections.listen({
    onPacket,
    onOpen(connection) {
      routing.opened(connection)
      emit('connectionOpened', connection)
    },
    onClosed(connection, problem, wasOpen) {
      routing.closed(connection, wasOpen)
      emit('connectionClosed', { connection, problem, wasOpen })
    },
    onChange: () => emit('peersChanged', undefined),
    isUsed: ({ peerId, isSharedNode }) => !isSharedNode || leadsToMembers(peerId) || isAlone(),
  })

  return {
    ownId,
    addConnection: (id, origin) => connections.add(id, origin),
    removeConnection: (id) => connections.remove(id),
    receive: (id, packet) => connections.receive(id, packet),
    connections: () => connections.established(),
    suspectConnections: () => connections.suspectAll(),
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
    relayed: () => relay?.totals(),
    handle: calls.handle,
    on: (event, listener) => emitters[event].subscribe(listener),
    onPayload(listener) {
      onPayload = listener
    },
    close() {
      isClosed = true
      relay?.close()
      routing.close()
      connections.close()
    },
  }

  function emit<Event extends keyof PeerEvents>(event: Event, detail: PeerEvents[Event]): void {
    if (!isClosed) emitters[event].emit(detail)
  }

  function peer(peerId: number): RemotePeer | undefined {
    const found = table.record(peerId)
    if (!found || peerId === ownId || !table.isReachable(peerId)) return undefined
    return { record: found, connection: connections.best(peerId), via: viaOf(peerId) }
  }

  function viaOf(peerId: number): PeerConnection | undefined {
    const hop = table.nextHop(peerId)
    return hop === undefined ? undefined : connections.best(hop)
  }

  /** Then other members may appear behind any of the shared nodes. */
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
    const connection = viaOf(peerId)
    if (!connection) return false
    const to = { from: ownId, to: peerId, type, flags, forwards: 1 }
    options.send(connection.id, isSealed ? cipher.seal(to, payload) : encodePacket(to, payload))
    return true
  }

  /**
   * Shared nodes have no key, so calls to them are not sealed, also to those that are behind another one. Which of them a peer is
   * may be known later than the way to it.
   */
  function sendRpc(peerId: number, type: number, payload: Uint8Array): boolean {
    const isPlain = table.record(peerId)?.features.isSharedNode ?? connections.best(peerId)?.isSharedNode
    if (isPlain === undefined) return false
    return sendVia(peerId, type, 0, payload, !isPlain)
  }

  function onPacket(packet: Packet, connection: PeerConnection, bytes: Uint8Array): void {
    if (packet.to !== ownId) relay?.forward(packet, bytes, connection)
    else if (isFromOthers(packet)) onOwnPacket(packet, connection)
  }

  function onOwnPacket(packet: Packet, connection: PeerConnection): void {
    const isRpc = packet.type === packetTypes.rpcRequest || packet.type === packetTypes.rpcResponse
    if (!isAuthentic(packet, isRpc, connection) || !maySpeakFor(connection, packet.from)) return
    if (!mayReadFrom(packet.from, connection, isRpc)) return
    const payload = cipher.open(packet)
    if (!payload) return
    routing.heard(packet.from)
    // A copy: records are kept as received, and the payload is a view on something larger.
    if (isRpc) calls.receive(payload.slice(), packet.from)
    // An unreachable sender could not be answered; with made-up ones a member could fill our memory.
    else if (table.isReachable(packet.from)) onPayload(packet.type, payload, packet.from)
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

  function isFromOthers({ from, forwards }: Packet): boolean {
    return from !== ownId && forwards <= MAX_FORWARDS
  }

  /** Only calls of shared nodes may be unsealed: a relay must not be able to speak for a member. @see docs/decisions.md, D66 */
  function isAuthentic({ flags, from }: Packet, isRpc: boolean, connection: PeerConnection): boolean {
    if ((flags & packetFlags.encrypted) !== 0) return true
    return isRpc && isSharedNode(from, connection)
  }

  /** Members share one key: what tells a neighbour from one that uses its id is the connection. Shared nodes forward. */
  function maySpeakFor(connection: PeerConnection, from: number): boolean {
    return connection.isSharedNode || connection.peerId === from || !connections.best(from)
  }

  function isSharedNode(peerId: number, connection: PeerConnection): boolean {
    if (peerId === connection.peerId) return connection.isSharedNode
    return table.record(peerId)?.features.isSharedNode ?? false
  }
}
