import { handled, raceSignal, untilAborted } from '@lantern-room/base/async'
import type { ByteStream, DatagramFlow } from '@lantern-room/base/bytes'
import type { Denial } from '@lantern-room/base/limits'
import type { PortMapping } from '@lantern-room/routers'
import type { SharedNodeStatus } from './dialing/sharedNodes'
import { createLimitLog, type OnShareExceeded } from './limitLog'
import { Mesh, type OpenMesh } from './mesh'
import type { MeshOptions } from './meshOptions'
import { type NatType, natTypeOf, natTypes } from './nat/natType'
import { createNetworkMeshes, type NetworkGenerations, type OfGeneration } from './networkMeshes'
import {
  createPayloadLayer,
  type IncomingHandlers,
  type MemberEndpoint,
  type PayloadLayer,
} from './payloadLayer'
import type { RelayTotals } from './peer/memberRelay'
import type { Peer } from './peer/peer'
import type { RemotePeer } from './peer/peerOptions'
import { createRestraint } from './peer/restraint'
import type { TrafficTotals } from './peerTraffic'
import { randomId } from './random'
import type { PeerRecord } from './wire/peerRecord'

export type MemberRelayStatus = RelayTotals & {
  /** Whether relaying is offered: not while some members cannot reach us. */
  readonly isOffered: boolean
  readonly bytesPerSecond: number
}

export type NetworkOptions = Omit<MeshOptions, 'ownId' | 'mayRead' | 'onRefused' | 'onPayload' | 'signal'> &
  IncomingHandlers & {
    /** @default nothing is told */
    readonly onOverShare?: OnShareExceeded
    /**
     * Whether a member may read only the first fragment of a datagram to its ports.
     * @default all read the whole
     */
    readonly dropsFragments?: (record: PeerRecord) => boolean
  }

/** In the order in which they are made: each uses only those before it. */
type NetworkParts = {
  /** Aborted when a mesh fails by itself. */
  readonly failure: AbortController
  readonly ownId: number
  readonly restraint: ReturnType<typeof createRestraint>
  readonly meshes: ReturnType<typeof createNetworkMeshes>
  readonly payloads: PayloadLayer
}

/**
 * One peer of a network, with its connections, shared nodes, LAN discovery, streams and datagrams. It can be open under
 * several secrets: streams and flows belong to the two members, and go on when both move to a newer one.
 * @example
 * const options = { identity: { name, secret }, hostname: 'alice', address: '10.144.144.1', … }
 * const network = await Network.open(options, signal)
 * const stream = await network.dial(peerId, { address: '10.144.144.2', port: 8080 })
 */
export class Network {
  readonly ownId: number
  /** This peer under other network names and secrets. */
  readonly generations: NetworkGenerations
  /**
   * Resolves when the network was stopped by its signal and no socket, timer or stream of it is left. Rejects as soon as it
   * fails by itself, because the system has closed one of its sockets; it then closes what it has open.
   */
  readonly closed: Promise<void>
  readonly #relays: NetworkOptions['relays']
  readonly #restraint: NetworkParts['restraint']
  readonly #meshes: NetworkParts['meshes']
  readonly #payloads: PayloadLayer

  /**
   * Takes part in the network until the signal aborts.
   * @throws Error when a socket cannot be opened, or the signal's reason
   */
  static async open(options: NetworkOptions, signal: AbortSignal): Promise<Network> {
    const parts = networkParts(options)
    const { failure, meshes, payloads } = parts
    const ending = AbortSignal.any([signal, failure.signal])
    const stopped = untilAborted(ending).then(async () => {
      payloads.close()
      await meshes.closeAll(ending.reason)
    })
    const closed = handled(raceSignal(stopped, failure.signal))
    try {
      await meshes.open(options)
    } catch (error) {
      failure.abort(error)
      await stopped
      throw error
    }
    return new Network(options, parts, closed)
  }

  private constructor(options: NetworkOptions, parts: NetworkParts, closed: Promise<void>) {
    this.ownId = parts.ownId
    this.generations = parts.meshes
    this.closed = closed
    this.#relays = options.relays
    this.#restraint = parts.restraint
    this.#meshes = parts.meshes
    this.#payloads = parts.payloads
  }

  /** Members and shared nodes that are reachable now. */
  peers(): readonly RemotePeer[] {
    return this.#meshes.peers()
  }

  peer(peerId: number): RemotePeer | undefined {
    return remotePeer(this.#meshes, peerId)
  }

  /** The configured shared nodes. */
  nodes(): readonly SharedNodeStatus[] {
    return this.#meshes.oldest()?.nodes() ?? []
  }

  /** Our IPv4 address inside the network. */
  address(): string | undefined {
    return ownAddress(this.#meshes)
  }

  /** The NAT type of our UDP socket, or the one that a member tells of its own; `unknown` for numbers that are not listed. */
  natType(of?: RemotePeer): NatType {
    const record = of?.record ?? this.#meshes.oldest()?.peer.own()
    return natTypeOf(record?.udpNatType ?? natTypes.unknown)
  }

  /** Ports of our router that lead here. */
  mappings(): readonly PortMapping[] {
    return this.#meshes.all().flatMap((mesh) => mesh.mappings())
  }

  /** The traffic that we relay for other members; undefined unless it was enabled. */
  memberRelay(): MemberRelayStatus | undefined {
    return this.#relays && relayStatus(this.#meshes.all(), this.#relays)
  }

  setAddress(address: string): void {
    for (const mesh of this.#meshes.all()) mesh.peer.setOwn({ address })
  }

  /** Opens a stream to a TCP port of a member. @throws StreamError, or the signal's reason */
  dial(peerId: number, to: MemberEndpoint, signal?: AbortSignal): Promise<ByteStream> {
    return this.#payloads.dial(peerId, to, signal)
  }

  /** Opens a flow to a UDP port of a member. */
  datagrams(peerId: number, to: MemberEndpoint): DatagramFlow {
    return this.#payloads.datagrams(peerId, to)
  }

  call(...[peerId, method, request, timeoutMs, done]: Parameters<Peer['call']>): void {
    const mesh = this.#meshes.meshOf(peerId)
    if (mesh) mesh.peer.call(peerId, method, request, timeoutMs, done)
    else done({ kind: 'silence' })
  }

  /** Something was denied to this member above the network, because it has more than its share. */
  noteOverShare(peerId: number, denial?: Denial): void {
    this.#restraint.note(peerId, denial)
  }

  /** Closes the streams of a member that will not return. */
  forgetPeer(peerId: number): void {
    this.#payloads.forgetPeer(peerId)
  }

  /** When the member last sent a payload, or answered a ping over a direct connection, in the clock's time. */
  lastSeenAt(peerId: number): number | undefined {
    return latest(this.#payloads.traffic.receivedAt(peerId), this.peer(peerId)?.connection?.answeredAt)
  }

  /** The bytes of payloads that were exchanged with a member since it was first met. */
  traffic(peerId: number): TrafficTotals {
    return this.#payloads.traffic.totals(peerId)
  }

  /** Whether the packets of this member are sealed in another way than ours, or not at all. It explains why nothing reaches it. */
  sealsOtherwise(peerId: number): boolean {
    return this.#meshes.meshOf(peerId)?.peer.sealsOtherwise(peerId) ?? false
  }

  /** A peer with our network's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean {
    return this.#meshes.oldest()?.wasRefused() ?? false
  }

  /** Every shared node refuses our network's name with this secret. */
  isRefusedEverywhere(): boolean {
    return this.#meshes.oldest()?.isRefusedEverywhere() ?? false
  }
}

/** Makes them; nothing is open yet. */
function networkParts(options: NetworkOptions): NetworkParts {
  const { clock, randomBytes, log } = options
  const failure = new AbortController()
  const ownId = randomId(randomBytes)
  const restraint = createRestraint(clock)
  const onRefused = createLimitLog(log, (peerId, limit, denial) => {
    restraint.note(peerId, denial)
    if (denial !== 'full') options.onOverShare?.(peerId, limit, denial)
  })
  const meshes = createNetworkMeshes({
    address: options.address,
    clock,
    onChange: options.onChange,
    onFailed: (error) => failure.abort(error),
    openMesh: (of) => openMesh(options, of, { ownId, mayRead: restraint.mayRead, onRefused }),
  })
  const payloads = createPayloadLayer({
    ownId,
    address: () => ownAddress(meshes),
    clock,
    randomBytes,
    acceptsTcp: options.acceptsTcp,
    acceptsUdp: options.acceptsUdp,
    onStream: options.onStream,
    onFlow: options.onFlow,
    meshOf: meshes.meshOf,
    dropsFragments(peerId) {
      const record = remotePeer(meshes, peerId)?.record
      return record !== undefined && options.dropsFragments?.(record) === true
    },
    onRefused,
  })
  meshes.deliverTo(payloads)
  return { failure, ownId, restraint, meshes, payloads }
}

/** @param shared what the meshes of a network have in common beside its options */
function openMesh(
  options: NetworkOptions,
  of: OfGeneration,
  shared: Pick<MeshOptions, 'ownId' | 'mayRead' | 'onRefused'>,
): Promise<OpenMesh> {
  return Mesh.open({
    identity: of.identity,
    lan: of.lan,
    address: of.address,
    onChange: of.onChange,
    onPayload: of.onPayload,
    signal: of.signal,
    ownId: shared.ownId,
    mayRead: shared.mayRead,
    onRefused: shared.onRefused,
    hostname: options.hostname,
    version: options.version,
    nodes: options.nodes,
    invitedNodes: options.invitedNodes,
    stunServers: options.stunServers,
    isDirect: options.isDirect,
    relays: options.relays,
    offersRelay: options.offersRelay,
    isSettled: options.isSettled,
    wantsDirect: options.wantsDirect,
    isFoundOnLan: options.isFoundOnLan,
    transports: options.transports,
    clock: options.clock,
    randomBytes: options.randomBytes,
    log: options.log,
  })
}

function ownAddress(meshes: NetworkParts['meshes']): string | undefined {
  return meshes.oldest()?.peer.own().address
}

function remotePeer(meshes: NetworkParts['meshes'], peerId: number): RemotePeer | undefined {
  return meshes.meshOf(peerId)?.peer.peer(peerId)
}

function relayStatus(
  meshes: readonly OpenMesh[],
  { bytesPerSecond }: NonNullable<NetworkOptions['relays']>,
): MemberRelayStatus {
  const carried = meshes.map((mesh) => mesh.relayed())
  return {
    pairs: sum(carried.map(({ pairs }) => pairs)),
    bytes: sum(carried.map(({ bytes }) => bytes)),
    isOffered: meshes[0]?.isReachableByAll() ?? false,
    bytesPerSecond,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
