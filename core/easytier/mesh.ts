import type { Clock } from '../async/clock'
import { handled } from '../async/deferred'
import { raceSignal, untilAborted } from '../async/onAbort'
import type { Log } from '../log'
import { createConnectionHub } from './connectionHub'
import type { NetworkIdentity } from './crypto/networkIdentity'
import { createDirectConnections, type DirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import { watchNetworkChanges } from './dialing/networkChanges'
import { keepSharedNodes, type SharedNodeStatus } from './dialing/sharedNodes'
import type { OnRefused } from './limitLog'
import { type NatType, natTypeOf } from './nat/natType'
import type { PublicReach } from './nat/publicReach'
import type { RelayTotals } from './peer/memberRelay'
import { Peer } from './peer/peer'
import type { PayloadListener, RemotePeer } from './peer/peerOptions'
import { newRecord } from './peer/routing'
import { random32 } from './random'
import type { Connection, PortMapping, Transports } from './transport/transports'
import { createUdpTransport } from './transport/udpTransport'
import type { PeerRecord } from './wire/peerRecord'

/** A peer under one name and secret, with its connections, shared nodes and LAN discovery. It carries payloads unread. */
export type Mesh = Pick<Peer, 'peers' | 'peer' | 'send' | 'call'> & {
  /** The configured shared nodes. */
  nodes(): readonly SharedNodeStatus[]
  /** Our IPv4 address inside the network. */
  address(): string | undefined
  setAddress(address: string): void
  /** Of our UDP socket. */
  natType(): NatType
  /** Ports of our router that lead here. */
  mappings(): readonly PortMapping[]
  /** What was carried for other members. */
  relayed(): RelayTotals
  /** As what others reach us. */
  reach(): PublicReach | undefined
  /** A peer with our network's name and another secret was met, or a shared node refused ours. */
  wasRefused(): boolean
  /** Every shared node refuses our network's name with this secret. */
  isRefusedEverywhere(): boolean
  /** Resolves, and never rejects, when no socket, timer or connection of it is left. */
  readonly released: Promise<void>
  /** As `released`, but rejects as soon as it fails by itself, because the system has closed one of its sockets. */
  readonly closed: Promise<void>
}

/** What members find each other by. */
export type MeshIdentity = {
  readonly identity: NetworkIdentity
  /**
   * Peers with the same key find each other on the LAN: some announce their listener under it, the others dial it. It is
   * visible to the whole LAN and must not tell the network's secret.
   */
  readonly lan: { readonly key: string; readonly announces: boolean }
}

export type MeshOptions = MeshIdentity & {
  readonly hostname: string
  /** Our IPv4 address inside the network. */
  readonly address: string
  /** The program's version, as other members show it. */
  readonly version: string
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
  /** Members, paths or shared nodes have changed. */
  readonly onChange: () => void
  /** Whether a direct connection to this member is wanted. */
  readonly wantsDirect: (peer: RemotePeer) => boolean
  /** Forwards packets of other members to each other, within this rate. It is offered to them while all of them can reach us. */
  readonly relays?: { readonly bytesPerSecond: number } | undefined
  /** Whether this member has offered that itself: packets then take it rather than a shared node. */
  readonly offersRelay?: (record: PeerRecord) => boolean
  /** Whether a member is to stay where there are too many; by default none is. */
  readonly isSettled?: (record: PeerRecord) => boolean
  readonly ownId: number
  /** Whether a payload of this member is to be opened; others are dropped unread. */
  readonly mayRead: (peerId: number) => boolean
  readonly onRefused: OnRefused
  readonly onPayload: PayloadListener
  /** Stops it. */
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

/** @throws Error when a socket cannot be opened, or the signal's reason */
export async function openMesh(options: MeshOptions): Promise<Mesh> {
  const { transports, clock, randomBytes, log, onRefused } = options
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
  const socket = await transports.openUdp(0, 'both')
  failWhenClosed('UDP socket', socket.closed)
  const udp = createUdpTransport({ socket, clock, randomBytes })
  const dialling = { transports, udp, clock }
  const hub = createConnectionHub()
  const peer = new Peer({
    identity: options.identity,
    record: ownRecord(options),
    clock,
    randomBytes,
    send: hub.send,
    close: hub.close,
    mayRead: options.mayRead,
    relays: options.isDirect ? options.relays : undefined,
    ...(options.offersRelay && { offersRelay: options.offersRelay }),
    ...(options.isSettled && { isSettled: options.isSettled }),
    onRefused,
    onCallFailed: (error, method, member) =>
      log.warn('a call of a member failed', { method, member, cause: String(error) }),
  })
  hub.deliverTo(peer)
  peer.onPayload(options.onPayload)
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
        onReach() {
          offerRelay()
          options.onChange()
        },
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
  const released = untilAborted(signal).then(async () => {
    networkChanges.close()
    peer.close()
    await hub.closeAll()
    udp.close()
    await Promise.all([...running, directConnections?.closed()])
  })
  const closed = handled(raceSignal(released, failure.signal))
  try {
    if (directConnections) await listen(directConnections)
  } catch (error) {
    failure.abort(error)
    await released
    throw error
  }

  return {
    peers: () => peer.peers(),
    peer: (peerId) => peer.peer(peerId),
    send: (peerId, type, payload, flags) => peer.send(peerId, type, payload, flags),
    call: (peerId, method, request, timeoutMs, done) => peer.call(peerId, method, request, timeoutMs, done),
    nodes: sharedNodes.statuses,
    address: () => peer.own().address,
    setAddress: (address) => peer.setOwn({ address }),
    natType: () => natTypeOf(peer.own().udpNatType),
    mappings: () => directConnections?.mappings() ?? [],
    relayed: () => peer.relayed() ?? { pairs: 0, bytes: 0 },
    reach: () => directConnections?.reach(),
    wasRefused: () => hasMetWrongSecret || sharedNodes.refusals() > 0,
    isRefusedEverywhere: () => options.nodes.length > 0 && sharedNodes.refusals() === options.nodes.length,
    released,
    closed,
  }

  function offerRelay(): void {
    if (!options.relays) return
    const { features } = peer.own()
    peer.setOwn({ features: { ...features, avoidsRelay: directConnections?.reach() === undefined } })
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

function ownRecord(options: MeshOptions) {
  return newRecord(
    {
      peerId: options.ownId,
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
