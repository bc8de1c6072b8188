import { raceSignal, untilAborted } from '../async/raceSignal'
import type { ByteStream, DatagramFlow } from '../byteStream'
import type { Clock } from '../clock'
import type { Log } from '../log'
import type { NetworkIdentity } from './crypto/networkIdentity'
import { createDirectConnections, type DirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import { watchNetworkChanges } from './dialing/networkChanges'
import { keepSharedNodes, type NodeStatus } from './dialing/sharedNodes'
import { createDatagramLayer } from './ip/datagramLayer'
import { ipProtocols } from './ip/ipv4'
import { createLimitLog, type OnOverShare } from './limitLog'
import { type NatType, natTypeOf } from './nat/natType'
import { createConnectionHub } from './peer/connectionHub'
import { createPeer, type Peer, type RemotePeer } from './peer/peer'
import { createRestraint } from './peer/restraint'
import { newRecord } from './peer/routing'
import { createPeerTraffic, type TrafficTotals } from './peerTraffic'
import { random32, randomPeerId } from './random'
import { createStreamLayer } from './streamLayer'
import type { Connection, PortMapping, Transports } from './transport/transports'
import { createUdpTransport } from './transport/udpTransport'
import { parseIpv4 } from './wire/addresses'
import { packetFlags, packetTypes } from './wire/packet'

/** One peer of a network, with its connections, shared nodes, LAN discovery, streams and datagrams. */
export type Network = {
  readonly ownId: number
  /** Members and shared nodes that are reachable now. */
  peers(): readonly RemotePeer[]
  peer(peerId: number): RemotePeer | undefined
  /** The configured shared nodes. */
  nodes(): readonly NodeStatus[]
  /** Our IPv4 address inside the network. */
  address(): string | undefined
  setAddress(address: string): void
  /** Of our UDP socket. */
  natType(): NatType
  /** Ports of our router that lead here. */
  mappings(): readonly PortMapping[]
  /** Opens a stream to a TCP port of a member. @throws StreamError, or the signal's reason */
  dial(peerId: number, to: MemberEndpoint, signal?: AbortSignal): Promise<ByteStream>
  /** Opens a flow to a UDP port of a member. */
  datagrams(peerId: number, to: MemberEndpoint): DatagramFlow
  call: Peer['call']
  /** Something of this member was refused above the network, because it has more than its share. */
  noteOverShare(peerId: number): void
  /** Closes the streams of a member that will not return. */
  forgetPeer(peerId: number): void
  /** When the member last sent a payload, or answered a ping over a direct connection, in the clock's time. */
  lastSeenAt(peerId: number): number | undefined
  traffic(peerId: number): TrafficTotals
  /** A peer with our network's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean
  /** Every shared node refuses our network's name with this secret. */
  isRefusedEverywhere(): boolean
  /**
   * Resolves when the network was stopped by its signal and no socket, timer or stream of it is left. Rejects as soon as it
   * fails by itself, because the system has closed one of its sockets; it then closes what it has open.
   */
  readonly closed: Promise<void>
}

/** An IPv4 address inside the network, and a port. */
export type MemberEndpoint = { readonly address: string; readonly port: number }

/** What a stream or a flow of a member leads to, and the member that has opened it. */
export type Incoming = {
  /** Of ours. */
  readonly port: number
  /** As the network knows the sender of its packets. @see docs/network/protocol.md, "Who a packet comes from" */
  readonly peerId: number
}

export type NetworkOptions = {
  readonly identity: NetworkIdentity
  readonly hostname: string
  /** Our IPv4 address inside the network. */
  readonly address: string
  /** The program's version, as other members show it. */
  readonly version: string
  /**
   * Peers with the same key find each other on the LAN: some announce their listener under it, the others dial it. It is
   * visible to the whole LAN and must not tell the network's secret.
   */
  readonly lan: { readonly key: string; readonly announces: boolean }
  /** Shared nodes: `scheme://host:port`, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Whether this peer listens, dials members and uses the LAN. */
  readonly isDirect: boolean
  readonly transports: Transports
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  /** Whether this member may reach this port of ours. */
  readonly acceptsTcp: (port: number, peerId: number) => boolean
  readonly acceptsUdp: (port: number, peerId: number) => boolean
  readonly onStream: (stream: ByteStream, from: Incoming) => void
  readonly onFlow: (flow: DatagramFlow, from: Incoming) => void
  readonly onOverShare?: OnOverShare
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** Whether a direct connection to this member is wanted. */
  readonly wantsDirect: (peer: RemotePeer) => boolean
  /** Stops the network. */
  readonly signal: AbortSignal
}

const FEATURES = {
  isSharedNode: false,
  avoidsRelay: true,
  takesKcp: true,
  relaysNoKcp: false,
  takesRowLists: false,
  needsDirect: false,
}

/** Local ports of flows: above the usual services. */
const FIRST_FLOW_PORT = 32_768
const FLOW_PORTS = 28_000

/** @throws Error when a socket cannot be opened, or the signal's reason */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { transports, clock, randomBytes, log } = options
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
  const socket = await transports.openUdp(0, 'both')
  failWhenClosed('UDP socket', socket.closed)
  const udp = createUdpTransport({ socket, clock, randomBytes })
  const dialling = { transports, udp, clock }
  const restraint = createRestraint(clock)
  const { onRefused } = createLimitLog(log, (peerId, limit) => {
    restraint.note(peerId)
    options.onOverShare?.(peerId, limit)
  })
  const hub = createConnectionHub()
  const peer = createPeer({
    identity: options.identity,
    record: ownRecord(options),
    clock,
    randomBytes,
    send: hub.send,
    close: hub.close,
    mayRead: restraint.mayRead,
    onRefused,
    onCallFailed: (error, method, member) =>
      log.warn('a call of a member failed', { method, member, cause: String(error) }),
  })
  hub.deliverTo(peer)
  const traffic = createPeerTraffic(clock)
  const ownAddress = () => parseIpv4(peer.own().address ?? '')
  const streams = createStreamLayer({
    clock,
    ownId: peer.ownId,
    random32: () => random32(randomBytes),
    onRefused,
    send,
    sendIp: (peerId, packet) => send(peerId, packetTypes.data, packet, packetFlags.noProxy),
    accepts: (to, peerId) => to.address === ownAddress() && options.acceptsTcp(to.port, peerId),
    onStream: (stream, { port }, peerId) => options.onStream(stream, { port, peerId }),
  })
  const datagrams = createDatagramLayer({
    clock,
    ownAddress,
    accepts: options.acceptsUdp,
    onFlow: (flow, port, peerId) => options.onFlow(flow, { port, peerId }),
    onRefused,
    onOther: (packet, from) => packet.protocol === ipProtocols.tcp && streams.receiveTcp(packet, from),
    randomPort: () => FIRST_FLOW_PORT + (random32(randomBytes) % FLOW_PORTS),
    send: (peerId, packet, isAnswer) =>
      send(peerId, packetTypes.data, packet, isAnswer ? packetFlags.noProxy : 0),
  })
  peer.onPayload((type, payload, from) => {
    traffic.noteReceived(from, payload.length)
    if (type === packetTypes.data) datagrams.receive(payload, from)
    else streams.receive(type, payload, from)
  })
  const directConnections = options.isDirect
    ? createDirectConnections({
        ...dialling,
        peer,
        randomBytes,
        log,
        signal,
        wants,
        attach: hub.attach,
        onOverShare: (peerId) => onRefused('listeners', peerId),
        stunServers: options.stunServers,
        nodes: options.nodes,
        onMappings: options.onChange,
      })
    : undefined
  const sharedNodes = keepSharedNodes({
    ...dialling,
    urls: options.nodes,
    log,
    signal,
    onStatus() {
      networkChanges.nodesChanged()
      options.onChange()
    },
    random: () => random32(randomBytes) / 2 ** 32,
    onConnection: (connection, url) => hub.attach(connection, { isDialler: true, url }),
  })
  let hasMetWrongSecret = false
  peer.on('connectionOpened', sharedNodes.connectionOpened)
  peer.on('connectionClosed', sharedNodes.connectionClosed)
  peer.on('connectionClosed', ({ connection, problem }) => {
    if (problem === 'wrong-secret' && connection.origin.isDialler) hasMetWrongSecret = true
  })
  peer.on('peersChanged', options.onChange)
  logConnections(peer, log)
  const networkChanges = watchNetworkChanges({
    transports,
    clock,
    log,
    nodes: sharedNodes.statuses,
    onOtherAddress: () => directConnections?.askAnew(),
    onOtherNetwork() {
      peer.suspectConnections()
      sharedNodes.retryAll()
      directConnections?.restart()
    },
  })
  const running: Promise<unknown>[] = [sharedNodes.closed]
  const stopped = untilAborted(signal).then(async () => {
    networkChanges.close()
    streams.close()
    datagrams.close()
    peer.close()
    await hub.closeAll()
    udp.close()
    await Promise.all([...running, directConnections?.closed()])
  })
  const closed = raceSignal(stopped, failure.signal)
  closed.catch(() => undefined)
  try {
    if (directConnections) await listen(directConnections)
  } catch (error) {
    failure.abort(error)
    await stopped
    throw error
  }

  return {
    ownId: peer.ownId,
    peers: peer.peers,
    peer: peer.peer,
    nodes: sharedNodes.statuses,
    address: () => peer.own().address,
    natType: () => natTypeOf(peer.own().udpNatType),
    mappings: () => directConnections?.mappings() ?? [],
    setAddress: (address) => peer.setOwn({ address }),
    dial: (peerId, to, dialSignal) =>
      streams.dial(
        peerId,
        { source: { address: ownAddress() ?? 0, port: 0 }, destination: numeric(to) },
        dialSignal,
      ),
    datagrams: (peerId, to) => datagrams.open({ peerId, ...numeric(to) }),
    call: peer.call,
    noteOverShare: restraint.note,
    forgetPeer: streams.forgetPeer,
    lastSeenAt: (peerId) => latest(traffic.receivedAt(peerId), peer.peer(peerId)?.connection?.answeredAt),
    traffic: traffic.totals,
    wasRefused: () => hasMetWrongSecret || sharedNodes.refusals() > 0,
    isRefusedEverywhere: () => options.nodes.length > 0 && sharedNodes.refusals() === options.nodes.length,
    closed,
  }

  function send(peerId: number, type: number, payload: Uint8Array, flags = 0): void {
    if (peer.send(peerId, type, payload, flags)) traffic.noteSent(peerId, payload.length)
  }

  function wants(peerId: number): boolean {
    const member = peer.peer(peerId)
    return member !== undefined && !member.record.features.refusesDirect && options.wantsDirect(member)
  }

  /** Accepts incoming connections, and finds peers on the LAN. */
  async function listen(direct: DirectConnections): Promise<void> {
    const accept = (connection: Connection) => void hub.attach(connection, { isDialler: false })
    udp.accept(accept)
    const listener = await transports.listenTcp(0, accept, signal)
    running.push(listener.closed)
    failWhenClosed('TCP listener', listener.closed)
    running.push(
      dialOnLan({
        ...dialling,
        key: options.lan.key,
        announces: options.lan.announces,
        port: listener.port,
        log,
        signal,
        isConnected: () => peer.connections().some(({ isSharedNode }) => !isSharedNode),
        onConnection: (connection) => hub.attach(connection, { isDialler: true }),
      }),
    )
    direct.start(listener.port)
  }

  function failWhenClosed(what: string, gone: Promise<void>): void {
    void gone.then(() => {
      if (!signal.aborted) failure.abort(new Error(`the system has closed the ${what}`))
    })
  }
}

function ownRecord(options: NetworkOptions) {
  return newRecord(
    {
      peerId: randomPeerId(options.randomBytes),
      hostname: options.hostname,
      address: options.address,
      programVersion: options.version,
      features: { ...FEATURES, refusesDirect: !options.isDirect },
    },
    options.randomBytes,
  )
}

function logConnections(peer: Peer, log: Log): void {
  peer.on('connectionOpened', ({ isSharedNode, origin: { url, transport, isPunched } }) =>
    log.info(isSharedNode ? 'connected to a shared node' : 'connected to a member', {
      transport,
      url,
      isPunched,
    }),
  )
  peer.on('connectionClosed', ({ connection, problem, wasOpen }) => {
    const { url, transport } = connection.origin
    log.debug('a connection is closed', { transport, url, problem, wasOpen })
  })
}

function numeric({ address, port }: MemberEndpoint) {
  return { address: parseIpv4(address) ?? 0, port }
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
}
