import type { ByteStream, DatagramFlow } from '../byteStream'
import type { Clock } from '../clock'
import type { Log } from '../log'
import type { NetworkIdentity } from './crypto/networkIdentity'
import { createDirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import { keepSharedNodes, type NodeStatus } from './dialing/sharedNodes'
import { createDatagramLayer } from './ip/datagramLayer'
import { ipProtocols } from './ip/ipv4'
import { createLimitLog } from './limitLog'
import { type NatType, natTypeOf } from './nat/natType'
import { createConnectionHub } from './peer/connectionHub'
import { createPeer, type Peer, type RemotePeer } from './peer/peer'
import type { ConnectionProblem, PeerConnection } from './peer/peerConnection'
import { MAX_RECORDS } from './peer/routeTable'
import { newRecord } from './peer/routing'
import { random32, randomPeerId } from './random'
import { createStreamLayer } from './streams/streamLayer'
import type { Connection, Transports } from './transport/transports'
import { createUdpTransport } from './transport/udpTransport'
import { parseIpv4 } from './wire/addresses'
import { packetFlags, packetTypes } from './wire/packet'

/** One peer of a network, with its connections, shared nodes, LAN discovery, streams and datagrams. */
export type Network = {
  readonly ownId: number
  peers(): readonly RemotePeer[]
  peer(peerId: number): RemotePeer | undefined
  nodes(): readonly NodeStatus[]
  /** Our address in the network. */
  address(): string | undefined
  setAddress(address: string): void
  natType(): NatType
  dial(
    peerId: number,
    to: { readonly address: string; readonly port: number },
    signal?: AbortSignal,
  ): Promise<ByteStream>
  datagrams(peerId: number, to: { readonly address: string; readonly port: number }): DatagramFlow
  call: Peer['call']
  forgetPeer(peerId: number): void
  /** When this member was last heard, or answered a ping over a direct link, in the clock's time. */
  heardAt(peerId: number): number | undefined
  /** A peer with our network's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean
  /** Every shared node refuses our network's name with this secret. */
  isRefusedEverywhere(): boolean
  readonly closed: Promise<void>
}

export type NetworkOptions = {
  readonly identity: NetworkIdentity
  readonly hostname: string
  readonly address: string
  readonly version: string
  /**
   * Peers with the same key find each other on the LAN: some announce their listener under it, the others dial it. It is
   * visible to the whole LAN and must not tell the network's secret.
   */
  readonly lan: { readonly key: string; readonly announces: boolean }
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Whether we listen, dial members and look on the LAN. */
  readonly isDirect: boolean
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  /** What members may reach here. */
  readonly acceptsTcp: (port: number) => boolean
  readonly acceptsUdp: (port: number) => boolean
  readonly onStream: (stream: ByteStream, port: number) => void
  readonly onFlow: (flow: DatagramFlow, port: number) => void
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** Whom we want to be connected to directly. */
  readonly wantsDirect: (peer: RemotePeer) => boolean
  /** A socket that everything stands on was closed, and not by us. */
  readonly onDown?: (error: Error) => void
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

/** @throws Error when no UDP socket can be opened */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { identity, transports, clock, randomBytes, log, signal } = options
  const socket = await transports.openUdp(0)
  const udp = createUdpTransport({ socket, clock, randomBytes })
  const heard = new Map<number, number>()
  let wasRefused = false
  const number32 = () => random32(randomBytes)
  const ownId = randomPeerId(randomBytes)
  const ownAddress = () => parseIpv4(node.own().address ?? '')

  const { onRefused } = createLimitLog(log)

  const hub = createConnectionHub(() => node)
  const node: Peer = createPeer({
    identity,
    clock,
    randomBytes,
    send: hub.send,
    close: hub.close,
    record: newRecord(
      {
        peerId: ownId,
        hostname: options.hostname,
        address: options.address,
        programVersion: options.version,
        features: { ...FEATURES, refusesDirect: !options.isDirect },
      },
      randomBytes,
    ),
    onLinkOpen,
    onLinkClosed,
    onPeers,
    onPayload,
    onRefused,
    onCallFailed: (error, method, member) =>
      log.warn('a call of a member failed', { method, member, cause: String(error) }),
    serve: (...call) => (options.isDirect ? ways.serve(...call) : undefined),
  })
  const streams = createStreamLayer({
    clock,
    ownId,
    random32: number32,
    onRefused,
    send: (peerId, type, payload) => void node.send(peerId, type, payload),
    sendIp: (peerId, packet) => void node.send(peerId, packetTypes.data, packet, packetFlags.noProxy),
    accepts: (to) => to.address === ownAddress() && options.acceptsTcp(to.port),
    onStream: (stream, to) => options.onStream(stream, to.port),
  })
  const datagrams = createDatagramLayer({
    clock,
    ownAddress,
    accepts: options.acceptsUdp,
    onFlow: options.onFlow,
    onRefused,
    onOther: (packet, from) => packet.protocol === ipProtocols.tcp && streams.receiveTcp(packet, from),
    randomPort: () => 32_768 + (number32() % 28_000),
    send: (peerId, packet, isAnswer) =>
      void node.send(peerId, packetTypes.data, packet, isAnswer ? packetFlags.noProxy : 0),
  })
  const dialling = { transports, udp, clock }
  const wants = (peerId: number) => {
    const peer = node.peer(peerId)
    if (!options.isDirect || !peer || peer.record.features.refusesDirect) return false
    return options.wantsDirect(peer)
  }
  const ways = createDirectConnections({
    ...dialling,
    node: () => node,
    randomBytes,
    log,
    signal,
    wants,
    attach: hub.attach,
    stunServers: options.stunServers,
    nodes: options.nodes,
  })
  const nodes = keepSharedNodes({
    ...dialling,
    urls: options.nodes,
    log,
    signal,
    onStatus: options.onChange,
    random: () => number32() / 2 ** 32,
    onLink: (link, url) => hub.attach(link, { isDialler: true, url }),
  })
  const takeOff = transports.onNetworkChange(() => {
    log.info('the network of this machine has changed')
    node.suspectConnections()
    nodes.again()
    ways.again()
  })
  const running: Promise<unknown>[] = [nodes.closed]
  const closed = aborted(signal).then(async () => {
    takeOff()
    streams.close()
    datagrams.close()
    node.close()
    await hub.closeAll()
    udp.close()
    await Promise.all([...running, ways.closed()])
  })
  const watch = (what: string, gone: Promise<void>) =>
    void gone.then(() => signal.aborted || options.onDown?.(new Error(`the system has closed the ${what}`)))
  watch('UDP socket', socket.closed)
  try {
    if (options.isDirect) running.push(...(await listen()))
  } catch (error) {
    // Stopped while it opened: what is open already is closed before anybody hears of it.
    if (signal.aborted) await closed
    throw error
  }

  return {
    ownId,
    peers: node.peers,
    peer: node.peer,
    nodes: nodes.statuses,
    address: () => node.own().address,
    natType: () => natTypeOf(node.own().udpNatType),
    setAddress: (address) => node.setOwn({ address }),
    dial: (peerId, to, dialSignal) =>
      streams.dial(
        peerId,
        { source: { address: ownAddress() ?? 0, port: 0 }, destination: numeric(to) },
        dialSignal,
      ),
    datagrams: (peerId, to) => datagrams.open({ peerId, ...numeric(to) }),
    call: node.call,
    forgetPeer: streams.forgetPeer,
    heardAt(peerId) {
      const [payload, link] = [heard.get(peerId), node.peer(peerId)?.link?.answeredAt]
      return payload === undefined || link === undefined ? (payload ?? link) : Math.max(payload, link)
    },
    wasRefused: () => wasRefused || nodes.refusals() > 0,
    isRefusedEverywhere: () => options.nodes.length > 0 && nodes.refusals() === options.nodes.length,
    closed,
  }

  async function listen(): Promise<Promise<unknown>[]> {
    udp.accept(take)
    const { port, closed } = await transports.listenTcp(0, take, signal)
    watch('TCP listener', closed)
    const meeting = dialOnLan({
      ...dialling,
      port,
      log,
      signal,
      key: options.lan.key,
      announces: options.lan.announces,
      isConnected: () => node.connections().some(({ isSharedNode }) => !isSharedNode),
      onLink: (link) => hub.attach(link, { isDialler: true }),
    })
    ways.open(port)
    return [closed, meeting]
  }

  function take(link: Connection): void {
    hub.attach(link, { isDialler: false })
  }

  function onLinkOpen(link: PeerConnection): void {
    const { url, transport, isPunched } = link.origin
    if (url !== undefined) nodes.opened(url, () => link.roundTrip)
    log.info(link.isSharedNode ? 'connected to a shared node' : 'connected to a member', {
      transport,
      url,
      isPunched,
    })
  }

  function onLinkClosed(link: PeerConnection, problem: ConnectionProblem, wasOpen: boolean): void {
    const { url, transport } = link.origin
    if (url !== undefined) nodes.gone(url, problem, wasOpen)
    if (problem === 'wrong-secret' && link.origin.isDialler) wasRefused = true
    log.debug('a link is closed', { transport, url, problem, wasOpen })
    ways.look()
  }

  function onPeers(): void {
    ways.look()
    options.onChange()
  }

  function onPayload(type: number, payload: Uint8Array, from: number): void {
    // A member who takes ever new ids must not fill the memory: the one known for longest goes.
    const [oldest] = heard.size >= MAX_RECORDS && !heard.has(from) ? heard.keys() : []
    if (oldest !== undefined) heard.delete(oldest)
    heard.set(from, clock.now())
    if (type === packetTypes.data) datagrams.receive(payload, from)
    else streams.receive(type, payload, from)
  }
}

function numeric({ address, port }: { readonly address: string; readonly port: number }) {
  return { address: parseIpv4(address) ?? 0, port }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
