import { createEmitter, type Emitter } from '@lantern-room/base/async'
import { networkKey } from '../crypto/networkIdentity'
import { createPacketCipher } from '../crypto/packetCipher'
import type { RpcMethodName } from '../wire/messages'
import type { Packet } from '../wire/packet'
import type { PeerRecord } from '../wire/peerRecord'
import { Connections } from './connections'
import { memberHandshake } from './handshake'
import { createMemberRelay, type MemberRelay, type RelayTotals } from './memberRelay'
import { groupOfPeer, type PeerConnection } from './peerConnection'
import type { ClosedConnection, PayloadListener, PeerOptions, RemotePeer } from './peerOptions'
import { Routing } from './routing'
import type { MemberStanding } from './routing/memberPlaces'
import { RouteTable } from './routing/routeTable'
import type { CallDone, RpcHandler } from './rpcCalls'
import { createSealedPackets, isRpc, type SealedPackets } from './sealedPackets'

/** In the order in which they are made: each uses only those before it. */
type PeerParts = {
  readonly options: PeerOptions
  readonly connections: Connections
  readonly table: RouteTable
  readonly packets: SealedPackets
  readonly routing: Routing
  readonly relay: MemberRelay | undefined
}

/** A peer of one network. It owns no sockets, and no timers but those of the clock that it is given. @see docs/decisions.md, D63 */
export class Peer {
  readonly connectionOpened = createEmitter<PeerConnection>()
  readonly connectionClosed = createEmitter<ClosedConnection>()
  /** Other peers are reachable now, or over other connections. */
  readonly peersChanged = createEmitter<void>()
  readonly ownId: number
  readonly connections: Connections
  readonly #onPayload: PayloadListener | undefined
  readonly #routing: Routing
  readonly #table: RouteTable
  readonly #packets: SealedPackets
  readonly #relay: MemberRelay | undefined
  #isClosed = false

  /** Keeps its routes until `close`. */
  static open(options: PeerOptions): Peer {
    const { identity, record, clock, randomBytes, onRefused, onCallFailed, offersRelay, relays } = options
    const { mayRead = () => true } = options
    const ownId = record.peerId
    const connections = new Connections({ clock, ownId, handshake: memberHandshake(identity, ownId) })
    const table = new RouteTable({ record, unixTime: clock.unixTime, onRefused })
    const cipher = createPacketCipher(networkKey(identity.secret), randomBytes)
    const packets = createSealedPackets({ ownId, cipher, table, connections, mayRead })
    table.rankMembers(standingOf(options, table, connections, packets))
    const routing = Routing.open({
      table,
      connections,
      clock,
      randomBytes,
      onRefused,
      onCallFailed,
      offersRelay,
      networkName: identity.name,
      send: packets.sendCall,
    })
    const relay =
      relays &&
      createMemberRelay({
        clock,
        bytesPerSecond: relays.bytesPerSecond,
        ownId,
        isMember: (peerId) =>
          table.isReachable(peerId) && table.record(peerId)?.features.isSharedNode === false,
        connectionTo: (peerId) => connections.known.best(peerId),
        maySpeakFor: packets.maySpeakFor,
      })
    const peer = new Peer({ options, connections, table, packets, routing, relay })
    peer.#follow()
    return peer
  }

  private constructor(parts: PeerParts) {
    this.ownId = parts.table.ownId
    this.connections = parts.connections
    this.#onPayload = parts.options.onPayload
    this.#routing = parts.routing
    this.#table = parts.table
    this.#packets = parts.packets
    this.#relay = parts.relay
  }

  /** Members and shared nodes that are reachable now, this one excluded. */
  peers(): readonly RemotePeer[] {
    return this.#table.reachableRecords().flatMap(({ peerId }) => this.peer(peerId) ?? [])
  }

  peer(peerId: number): RemotePeer | undefined {
    const record = this.#table.record(peerId)
    if (!record || peerId === this.ownId || !this.#table.isReachable(peerId)) return undefined
    return { record, connection: this.connections.known.best(peerId), via: this.#packets.viaOf(peerId) }
  }

  own(): PeerRecord {
    return this.#table.own()
  }

  setOwn(change: Parameters<RouteTable['setOwn']>[0]): void {
    this.#table.setOwn(change)
    this.#routing.changed()
  }

  /**
   * Sends a sealed packet; the payload is read before this returns.
   * @returns by what it has left; undefined when the peer is not reachable
   */
  send(peerId: number, type: number, payload: Uint8Array, flags = 0) {
    return this.#packets.send(peerId, type, flags, payload)
  }

  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void {
    this.#routing.calls.call(peerId, method, request, timeoutMs, done)
  }

  /** Whether the packets of this member are sealed in another way than ours, or not at all. */
  sealsOtherwise(peerId: number): boolean {
    return this.#packets.sealsOtherwise(peerId)
  }

  /** The traffic forwarded between other members; undefined without `relays`. */
  relayed(): RelayTotals | undefined {
    return this.#relay?.totals()
  }

  /** Registers what answers a method. Routes and the peer map are answered already; other methods are refused. */
  handle(method: RpcMethodName, handler: RpcHandler): void {
    this.#routing.calls.handle(method, handler)
  }

  /** Closes every connection; no listener is called afterwards. */
  close(): void {
    this.#isClosed = true
    this.#relay?.close()
    this.#routing.close()
    this.connections.close()
  }

  #follow(): void {
    this.#routing.announced.subscribe(() => this.#emit(this.peersChanged, undefined))
    this.connections.listen({
      onPacket: (packet, connection, bytes) => this.#receivePacket(packet, connection, bytes),
      onOpen: (connection) => {
        this.#routing.opened(connection)
        this.#emit(this.connectionOpened, connection)
      },
      onClosed: (connection, problem, wasOpen) => {
        this.#routing.closed(connection, wasOpen)
        this.#emit(this.connectionClosed, { connection, problem, wasOpen })
      },
      onChange: () => this.#emit(this.peersChanged, undefined),
      isUsed: ({ peerId, isSharedNode }) => !isSharedNode || this.#table.mayLeadToMembers(peerId),
    })
  }

  #emit<T>(emitter: Emitter<T>, detail: T): void {
    if (!this.#isClosed) emitter.emit(detail)
  }

  #receivePacket(packet: Packet, connection: PeerConnection, bytes: Uint8Array): void {
    if (packet.to !== this.ownId) {
      this.#relay?.forward(packet, bytes, connection)
      return
    }
    const payload = this.#packets.open(packet, connection)
    if (!payload) return
    this.#routing.heard(packet.from)
    // A copy: records are kept as received, and the payload is a view on something larger.
    if (isRpc(packet)) this.#routing.calls.receive(payload.slice(), packet.from)
    // An unreachable sender could not be answered; with made-up ones a member could fill our memory.
    else if (this.#table.isReachable(packet.from)) this.#onPayload?.(packet.type, payload, packet.from)
  }
}

/** How members stand to each other where there are too many for the table. */
function standingOf(
  { isSettled }: PeerOptions,
  table: RouteTable,
  connections: Connections,
  packets: SealedPackets,
): MemberStanding {
  return {
    groupOf: (peerId) =>
      groupOfPeer({ connection: connections.known.best(peerId), via: packets.viaOf(peerId) }),
    isSettled: (peerId) => {
      const member = table.record(peerId)
      return member !== undefined && isSettled?.(member) === true
    },
    onDisplaced: (peerId) => connections.dropAllOf(peerId, 'refused'),
  }
}
