import { handled, raceSignal, untilAborted } from '@lantern-room/base/async'
import type { PortMapping } from '@lantern-room/routers'
import type { SharedNodeStatus } from './dialing/sharedNodes'
import { createLimitLog, type OnShareExceeded } from './limitLog'
import { Mesh, type OpenMesh } from './mesh'
import type { MeshOptions } from './meshOptions'
import { type NatType, natTypeOf, natTypes } from './nat/natType'
import { createNetworkMeshes, type NetworkGenerations } from './networkMeshes'
import { createPayloadLayer, type IncomingHandlers } from './payloadLayer'
import type { RelayTotals } from './peer/memberRelay'
import type { Peer } from './peer/peer'
import type { RemotePeer } from './peer/peerOptions'
import { createRestraint } from './peer/restraint'
import { randomId } from './random'
import type { PeerRecord } from './wire/peerRecord'

export type MemberRelayStatus = RelayTotals & {
  /** Whether relaying is offered: not while some members cannot reach us. */
  readonly isOffered: boolean
  readonly bytesPerSecond: number
}

export type NetworkOptions = Omit<MeshOptions, 'ownId' | 'mayRead' | 'onRefused' | 'onPayload'> &
  IncomingHandlers & {
    /** @default nothing is told */
    readonly onOverShare?: OnShareExceeded
    /**
     * Whether a member may read only the first fragment of a datagram to its ports.
     * @default all read the whole
     */
    readonly dropsFragments?: (record: PeerRecord) => boolean
  }

export type Network = Awaited<ReturnType<typeof openNetwork>>

/**
 * One peer of a network, with its connections, shared nodes, LAN discovery, streams and datagrams. It can be open under
 * several secrets: streams and flows belong to the two members, and go on when both move to a newer one.
 * @example
 * const network = await openNetwork({ identity: { name, secret }, hostname: 'alice', address: '10.144.144.1', signal, … })
 * const stream = await network.dial(peerId, { address: '10.144.144.2', port: 8080 })
 * @throws Error when a socket cannot be opened, or the signal's reason
 */
export async function openNetwork(options: NetworkOptions) {
  const { clock, randomBytes, log, relays } = options
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
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
    openMesh: ({ identity, lan, address: ownAddress, onChange, onPayload, signal: ofMesh }) =>
      Mesh.open({
        identity,
        lan,
        address: ownAddress,
        onChange,
        onPayload,
        signal: ofMesh,
        ownId,
        mayRead: restraint.mayRead,
        onRefused,
        hostname: options.hostname,
        version: options.version,
        nodes: options.nodes,
        invitedNodes: options.invitedNodes,
        stunServers: options.stunServers,
        isDirect: options.isDirect,
        relays,
        offersRelay: options.offersRelay,
        isSettled: options.isSettled,
        wantsDirect: options.wantsDirect,
        isFoundOnLan: options.isFoundOnLan,
        transports: options.transports,
        clock,
        randomBytes,
        log,
      }),
  })
  const payloads = createPayloadLayer({
    ownId,
    address,
    clock,
    randomBytes,
    acceptsTcp: options.acceptsTcp,
    acceptsUdp: options.acceptsUdp,
    onStream: options.onStream,
    onFlow: options.onFlow,
    meshOf: meshes.meshOf,
    dropsFragments(peerId) {
      const record = peer(peerId)?.record
      return record !== undefined && options.dropsFragments?.(record) === true
    },
    onRefused,
  })
  meshes.deliverTo(payloads)
  const generations: NetworkGenerations = meshes
  const stopped = untilAborted(signal).then(async () => {
    payloads.close()
    await meshes.closeAll(signal.reason)
  })
  const closed = handled(raceSignal(stopped, failure.signal))
  try {
    await meshes.open(options)
  } catch (error) {
    failure.abort(error)
    await stopped
    throw error
  }

  return {
    ownId,
    /** Members and shared nodes that are reachable now. */
    peers: meshes.peers,
    peer,
    /** The configured shared nodes. */
    nodes: (): readonly SharedNodeStatus[] => meshes.oldest()?.nodes() ?? [],
    /** Our IPv4 address inside the network. */
    address,
    /** The NAT type of our UDP socket, or the one that a member tells of its own; `unknown` for numbers that are not listed. */
    natType: (of?: RemotePeer): NatType =>
      natTypeOf((of?.record ?? meshes.oldest()?.peer.own())?.udpNatType ?? natTypes.unknown),
    /** Ports of our router that lead here. */
    mappings: (): readonly PortMapping[] => meshes.all().flatMap((mesh) => mesh.mappings()),
    /** The traffic that we relay for other members; undefined unless it was enabled. */
    memberRelay: (): MemberRelayStatus | undefined => relays && relayStatus(meshes.all(), relays),
    setAddress(next: string): void {
      for (const mesh of meshes.all()) mesh.peer.setOwn({ address: next })
    },
    /** Opens a stream to a TCP port of a member. @throws StreamError, or the signal's reason */
    dial: payloads.dial,
    /** Opens a flow to a UDP port of a member. */
    datagrams: payloads.datagrams,
    call,
    /** Something was denied to this member above the network, because it has more than its share. */
    noteOverShare: restraint.note,
    /** Closes the streams of a member that will not return. */
    forgetPeer: payloads.forgetPeer,
    /** When the member last sent a payload, or answered a ping over a direct connection, in the clock's time. */
    lastSeenAt: (peerId: number): number | undefined =>
      latest(payloads.traffic.receivedAt(peerId), peer(peerId)?.connection?.answeredAt),
    traffic: payloads.traffic.totals,
    /** Whether the packets of this member are sealed in another way than ours, or not at all. It explains why nothing reaches it. */
    sealsOtherwise: (peerId: number): boolean => meshes.meshOf(peerId)?.peer.sealsOtherwise(peerId) ?? false,
    /** A peer with our network's name and another secret was met, or a shared node refused ours. */
    wasRefused: (): boolean => meshes.oldest()?.wasRefused() ?? false,
    /** Every shared node refuses our network's name with this secret. */
    isRefusedEverywhere: (): boolean => meshes.oldest()?.isRefusedEverywhere() ?? false,
    /** This peer under other network names and secrets. */
    generations,
    /**
     * Resolves when the network was stopped by its signal and no socket, timer or stream of it is left. Rejects as soon as it
     * fails by itself, because the system has closed one of its sockets; it then closes what it has open.
     */
    closed,
  }

  function address(): string | undefined {
    return meshes.oldest()?.peer.own().address
  }

  function peer(peerId: number): RemotePeer | undefined {
    return meshes.meshOf(peerId)?.peer.peer(peerId)
  }

  function call(...[peerId, method, request, timeoutMs, done]: Parameters<Peer['call']>): void {
    const mesh = meshes.meshOf(peerId)
    if (mesh) mesh.peer.call(peerId, method, request, timeoutMs, done)
    else done({ kind: 'silence' })
  }
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
