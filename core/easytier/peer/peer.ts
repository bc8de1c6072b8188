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
import type { ClosedConnection, PeerOptions, RemotePeer } from './peerOptions'
import { Routing } from './routing'
import type { RouteTable } from './routing/routeTable'
import type { CallDone, RpcHandler } from './rpcCalls'
import { createSealedPackets, isRpc, type SealedPackets } from './sealedPackets'

/** A peer of one network. It owns no sockets, and no timers but those of the clock that it is given. @see docs/decisions.md, D63 */
export class Peer {
  readonly connectionOpened = createEmitter<PeerConnection>()
  readonly connectionClosed = createEmitter<ClosedConnection>()
  /** Other peers are reachable now, or over other connections. */
  readonly peersChanged = createEmitter<void>()
  readonly ownId: number
  readonly connections: Connections
  readonly #options: PeerOptions
  readonly #routing: Routing
  readonly #table: RouteTable
  readonly #packets: SealedPackets
  readonly #relay: MemberRelay | undefined
  #isClosed = false

  constructor(options: PeerOptions) {
    const { identity, record, clock, randomBytes, mayRead = () => true } = options
    this.#options = options
    this.ownId = record.peerId
    this.connections = new Connections({
      clock,
      ownId: this.ownId,
      handshake: memberHandshake(identity, this.ownId),
    })
    this.#routing = this.#createRouting()
    this.#table = this.#routing.table
    this.#packets = createSealedPackets({
      ownId: this.ownId,
      cipher: createPacketCipher(networkKey(identity.secret), randomBytes),
      table: this.#table,
      connections: this.connections,
      mayRead,
    })
    this.#relay = options.relays && this.#createRelay(options.relays.bytesPerSecond)
    this.#followConnections()
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
   * @returns false when the peer is not reachable
   */
  send(peerId: number, type: number, payload: Uint8Array, flags = 0): boolean {
    return this.#packets.send(peerId, type, flags, payload)
  }

  call(peerId: number, method: RpcMethodName, request: Uint8Array, timeoutMs: number, done: CallDone): void {
    this.#routing.calls.call(peerId, method, request, timeoutMs, done)
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

  #followConnections(): void {
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

  #createRouting(): Routing {
    const { identity, record, clock, randomBytes, onRefused, onCallFailed, offersRelay } = this.#options
    return Routing.open({
      record,
      clock,
      randomBytes,
      onRefused,
      onCallFailed,
      offersRelay,
      connections: this.connections,
      networkName: identity.name,
      send: (peerId, isRequest, payload) => this.#packets.sendCall(peerId, isRequest, payload),
      onChanged: () => this.#emit(this.peersChanged, undefined),
      standing: {
        groupOf: (peerId) =>
          groupOfPeer({ connection: this.connections.known.best(peerId), via: this.#packets.viaOf(peerId) }),
        isSettled: (peerId) => {
          const member = this.#table.record(peerId)
          return member !== undefined && this.#options.isSettled?.(member) === true
        },
        onDisplaced: (peerId) => this.connections.dropAllOf(peerId, 'refused'),
      },
    })
  }

  #createRelay(bytesPerSecond: number): MemberRelay {
    return createMemberRelay({
      clock: this.#options.clock,
      bytesPerSecond,
      ownId: this.ownId,
      isMember: (peerId) => this.peer(peerId)?.record.features.isSharedNode === false,
      connectionTo: (peerId) => this.connections.known.best(peerId),
      maySpeakFor: (connection, from) => this.#packets.maySpeakFor(connection, from),
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
    else if (this.#table.isReachable(packet.from))
      this.#options.onPayload?.(packet.type, payload, packet.from)
  }
}
