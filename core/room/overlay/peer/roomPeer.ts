import type { ByteStream, Clock, DatagramFlow, NodeStatus, RoomLog } from '../../ports'
import type { Carriers, PacketLink } from '../carriers'
import type { NetworkIdentity } from '../crypto/secret'
import { ipProtocols } from '../ip/ipv4'
import { createLimitLog } from '../limits'
import { createUdpEndpoint } from '../links/udpEndpoint'
import { type NatType, natTypeOf } from '../nat/natType'
import type { Link, LinkProblem } from '../node/link'
import { createNode, type Node, type NodePeer } from '../node/node'
import { MAX_RECORDS } from '../node/routeTable'
import { newRecord } from '../node/routing'
import { random32, randomPeerId } from '../random'
import { parseIpv4 } from '../wire/addresses'
import { packetFlags, packetTypes } from '../wire/packet'
import { createDatagramLayer } from './datagramLayer'
import { createDirectWays } from './directWays'
import { meetOnLan } from './lanMeeting'
import { createLinkHub } from './linkHub'
import { keepSharedNodes } from './sharedNodes'
import { createStreamLayer } from './streamLayer'

/** One peer of a room's network with all that belongs to it: links, shared nodes, LAN, streams, datagrams. */
export type RoomPeer = {
  readonly ownId: number
  peers(): readonly NodePeer[]
  peer(peerId: number): NodePeer | undefined
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
  call: Node['call']
  forgetPeer(peerId: number): void
  /** When this member was last heard, or answered a ping over a direct link, in the clock's time. */
  heardAt(peerId: number): number | undefined
  /** A member with our room's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean
  /** Every shared node refuses our room's name with this secret. */
  isRefusedEverywhere(): boolean
  readonly closed: Promise<void>
}

export type RoomPeerOptions = {
  readonly identity: NetworkIdentity
  readonly hostname: string
  readonly address: string
  readonly version: string
  readonly role: 'host' | 'guest'
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  /** Whether we listen, dial members and look on the LAN. */
  readonly isDirect: boolean
  readonly carriers: Carriers
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  /** What members may reach here. */
  readonly acceptsTcp: (port: number) => boolean
  readonly acceptsUdp: (port: number) => boolean
  readonly onStream: (stream: ByteStream, port: number) => void
  readonly onFlow: (flow: DatagramFlow, port: number) => void
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** Whom we want to be connected to directly. */
  readonly wantsDirect: (peer: NodePeer) => boolean
  /** A socket that everything stands on was closed, and not by us. */
  readonly onDown?: (error: Error) => void
  readonly signal: AbortSignal
}

const FEATURES = {
  ...{ isSharedNode: false, avoidsRelay: true, takesKcp: true, relaysNoKcp: false },
  ...{ takesRowLists: false, needsDirect: false },
}

/** @throws Error when no UDP socket can be opened */
export async function openRoomPeer(options: RoomPeerOptions): Promise<RoomPeer> {
  const { identity, carriers, clock, randomBytes, log, signal } = options
  const socket = await carriers.openUdp(0)
  const udp = createUdpEndpoint({ socket, clock, randomBytes })
  const heard = new Map<number, number>()
  let wasRefused = false
  const number32 = () => random32(randomBytes)
  const ownId = randomPeerId(randomBytes)
  const ownAddress = () => parseIpv4(node.own().address ?? '')

  const { onRefused } = createLimitLog(log)

  const hub = createLinkHub(() => node)
  const node: Node = createNode({
    ...{ identity, clock, randomBytes, send: hub.send, close: hub.close },
    record: newRecord(
      {
        ...{ peerId: ownId, hostname: options.hostname, address: options.address },
        ...{ programVersion: options.version, features: { ...FEATURES, refusesDirect: !options.isDirect } },
      },
      randomBytes,
    ),
    onLinkOpen,
    onLinkClosed,
    onPeers,
    onPayload,
    onRefused,
    serve: (...call) => (options.isDirect ? ways.serve(...call) : undefined),
  })
  const streams = createStreamLayer({
    ...{ clock, ownId, random32: number32, onRefused },
    send: (peerId, type, payload) => void node.send(peerId, type, payload),
    sendIp: (peerId, packet) => void node.send(peerId, packetTypes.data, packet, packetFlags.noProxy),
    accepts: (to) => to.address === ownAddress() && options.acceptsTcp(to.port),
    onStream: (stream, to) => options.onStream(stream, to.port),
  })
  const datagrams = createDatagramLayer({
    ...{ clock, ownAddress, accepts: options.acceptsUdp, onFlow: options.onFlow, onRefused },
    onOther: (packet, from) => packet.protocol === ipProtocols.tcp && streams.receiveTcp(packet, from),
    randomPort: () => 32_768 + (number32() % 28_000),
    send: (peerId, packet, isAnswer) =>
      void node.send(peerId, packetTypes.data, packet, isAnswer ? packetFlags.noProxy : 0),
  })
  const dialling = { carriers, udp, clock }
  const wants = (peerId: number) => {
    const peer = node.peer(peerId)
    if (!options.isDirect || !peer || peer.record.features.refusesDirect) return false
    return options.wantsDirect(peer)
  }
  const ways = createDirectWays({
    ...{ ...dialling, node: () => node, randomBytes, log, signal, wants, attach: hub.attach },
    ...{ stunServers: options.stunServers, nodes: options.nodes },
  })
  const nodes = keepSharedNodes({
    ...{ ...dialling, urls: options.nodes, log, signal, onStatus: options.onChange },
    random: () => number32() / 2 ** 32,
    onLink: (link, url) => hub.attach(link, { isDialler: true, url }),
  })
  const takeOff = carriers.onNetworkChange(() => {
    log.info('the network of this machine has changed')
    node.doubtLinks()
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
    const { port, closed } = await carriers.listenTcp(0, take, signal)
    watch('TCP listener', closed)
    const meeting = meetOnLan({
      ...{ ...dialling, identity, port, log, signal },
      announces: options.role === 'host',
      isConnected: () => node.links().some(({ isOpen, isSharedNode }) => isOpen && !isSharedNode),
      onLink: (link) => hub.attach(link, { isDialler: true }),
    })
    ways.open(port)
    return [closed, meeting]
  }

  function take(link: PacketLink): void {
    hub.attach(link, { isDialler: false })
  }

  function onLinkOpen(link: Link): void {
    const { url, carrier, isPunched } = link.origin
    if (url !== undefined) nodes.opened(url, () => link.roundTrip)
    log.info(link.isSharedNode ? 'connected to a shared node' : 'connected to a member', {
      ...{ carrier, url, isPunched },
    })
  }

  function onLinkClosed(link: Link, problem: LinkProblem, wasOpen: boolean): void {
    const { url, carrier } = link.origin
    if (url !== undefined) nodes.gone(url, problem, wasOpen)
    if (problem === 'wrong-secret' && link.origin.isDialler) wasRefused = true
    log.debug('a link is closed', { carrier, url, problem, wasOpen })
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
