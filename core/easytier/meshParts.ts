import type { Log } from '@lantern-room/base'
import { DirectConnections } from './dialing/directConnections'
import { SharedNodes } from './dialing/sharedNodes'
import type { MeshOptions } from './meshOptions'
import { Peer } from './peer/peer'
import { newRecord } from './peer/routing/ownRoute'
import { randomFraction } from './random'
import { namedNodes } from './transport/namedNode'
import type { UdpSocket } from './transport/transports'
import { createUdpTransport, type UdpTransport } from './transport/udpTransport'
import { NO_FEATURES } from './wire/peerRecord'

/** What a mesh consists of. */
export type MeshParts = {
  /** Aborted when a socket of the mesh fails. */
  readonly failure: AbortController
  /** Aborts by that, or with the options' signal. */
  readonly signal: AbortSignal
  readonly udp: UdpTransport
  readonly peer: Peer
  readonly direct: DirectConnections | undefined
  readonly sharedNodes: SharedNodes
}

/** Opens them: from now on shared nodes are dialled, until the signal aborts. The caller registers what it is told. */
export function openMeshParts(options: MeshOptions, socket: UdpSocket): MeshParts {
  const { clock, randomBytes } = options
  const failure = new AbortController()
  const signal = AbortSignal.any([options.signal, failure.signal])
  failWhenClosed('UDP socket', socket.closed, failure, signal)
  const udp = createUdpTransport({ socket, clock, randomBytes })
  const peer = openPeer(options)
  const direct = options.isDirect ? connectDirectly(options, peer, udp, signal) : undefined
  const sharedNodes = keepSharedNodes(options, peer, udp, signal)
  return { failure, signal, udp, peer, direct, sharedNodes }
}

export function failWhenClosed(
  what: string,
  closed: Promise<void>,
  failure: AbortController,
  signal: AbortSignal,
): void {
  void closed.then(() => {
    if (!signal.aborted) failure.abort(new Error(`the system has closed the ${what}`))
  })
}

export function logConnections(peer: Peer, log: Log): void {
  peer.connectionOpened.subscribe(({ isSharedNode, origin: { url, transport, isPunched } }) =>
    log.info(isSharedNode ? 'connected to a shared node' : 'connected to a member', {
      transport,
      url,
      isPunched,
    }),
  )
  peer.connectionClosed.subscribe(({ connection, problem, wasOpen }) => {
    const { url, transport } = connection.origin
    log.debug('a connection is closed', { transport, url, problem, wasOpen })
  })
}

function openPeer(options: MeshOptions): Peer {
  const { log } = options
  return Peer.open({
    identity: options.identity,
    record: ownRecord(options),
    clock: options.clock,
    randomBytes: options.randomBytes,
    onPayload: options.onPayload,
    mayRead: options.mayRead,
    offersRelay: options.offersRelay,
    isSettled: options.isSettled,
    onRefused: options.onRefused,
    relays: options.isDirect ? options.relays : undefined,
    onCallFailed: (error, method, member) =>
      log.warn('a call of a member failed', { method, member, cause: String(error) }),
  })
}

function ownRecord(options: MeshOptions) {
  return newRecord(
    {
      peerId: options.ownId,
      hostname: options.hostname,
      address: options.address,
      programVersion: options.version,
      features: { ...NO_FEATURES, avoidsRelay: true, takesKcp: true, refusesDirect: !options.isDirect },
    },
    options.randomBytes,
  )
}

/** Connects the members that a direct connection is wanted to. */
function connectDirectly(
  options: MeshOptions,
  peer: Peer,
  udp: UdpTransport,
  signal: AbortSignal,
): DirectConnections {
  const { transports, clock, randomBytes, log, nodes, invitedNodes, stunServers } = options
  const { wantsDirect, onRefused } = options
  return DirectConnections.open(
    {
      transports,
      clock,
      randomBytes,
      log,
      nodes,
      invitedNodes,
      stunServers,
      peer,
      udp,
      wants(peerId) {
        const member = peer.peer(peerId)
        return member !== undefined && !member.record.features.refusesDirect && wantsDirect(member)
      },
      attach: (connection, openedBy) => peer.connections.take(connection, openedBy),
      onOverShare: (peerId) => onRefused('listeners', peerId),
    },
    signal,
  )
}

function keepSharedNodes(
  options: MeshOptions,
  peer: Peer,
  udp: UdpTransport,
  signal: AbortSignal,
): SharedNodes {
  const { transports, clock, randomBytes, log } = options
  return SharedNodes.open(
    {
      transports,
      clock,
      log,
      udp,
      nodes: namedNodes(options),
      random: () => randomFraction(randomBytes),
      onConnection: (connection, url) => peer.connections.take(connection, { isDialler: true, url }),
    },
    signal,
  )
}
