import type { Log } from '@lantern-room/base'
import { type NatInfo, UNKNOWN_NAT } from '../nat/natObserver'
import { isSymmetric, natTypes } from '../nat/natType'
import type { StunOptions } from '../nat/queryStun'
import type { Peer } from '../peer/peer'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import type { RemotePeer } from '../peer/peerOptions'
import type { Connection } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import { awaitConnections, createPunchAttempts, type PunchTarget } from './punchAttempts'
import { servePunching } from './servePunching'
import { createPunchDatagrams } from './sockets/punchDatagrams'
import { createPunchListeners } from './sockets/punchListeners'
import { createPunchSockets } from './sockets/punchSockets'
import { punchCone } from './strategies/punchCone'
import { mappedAddressOf, type PunchContext } from './strategies/punchContext'
import { punchFromSymmetric } from './strategies/punchFromSymmetric'
import { type PunchSide, type PunchStrategy, punchPlan, sideOf } from './strategies/punchPlan'
import { punchTcp } from './strategies/punchTcp'
import { punchPredictable, punchTowardsSymmetric } from './strategies/punchTowardsSymmetric'
import { createPunchRpcClient } from './strategies/rpcClient'

export type HolePunchingOptions = StunOptions & {
  readonly peer: Peer
  readonly log: Log
  /** The network's own socket, which accepts connections. */
  readonly udp: UdpTransport
  readonly wants: (peerId: number) => boolean
  readonly attach: (connection: Connection, origin: Omit<ConnectionOrigin, 'transport'>) => void
  readonly signal: AbortSignal
}

/** Opens direct connections through routers, and helps other members to open theirs. @see docs/network/nat-traversal.md */
export function createHolePunching(options: HolePunchingOptions) {
  const { transports, peer, clock, randomBytes, log, wants, attach, signal } = options
  const sockets = createPunchSockets({ transports, clock, randomBytes, signal })
  const awaiting = awaitConnections(peer, signal)
  let natInfo = UNKNOWN_NAT
  const asked = { transports, clock, randomBytes, natInfo: () => natInfo }
  const context: PunchContext = {
    transports,
    clock,
    randomBytes,
    natInfo: asked.natInfo,
    log,
    attach,
    sockets,
    rpcClient: createPunchRpcClient(clock, peer),
    datagrams: createPunchDatagrams(clock),
    listeners: createPunchListeners({
      clock,
      sockets,
      own: options.udp,
      mappedAddressOf: (socket) => mappedAddressOf(asked, socket, signal),
      onConnection: (connection) => attach(connection, { isDialler: false, isPunched: true }),
    }),
  }
  const strategies = strategiesOf(context)
  const attempts = createPunchAttempts({
    clock,
    log,
    signal,
    targets,
    punch: async (strategy, peerId, failures, stop) => {
      await context.rpcClient.ready(peerId, stop)
      const member = peer.peer(peerId)
      if (member) await strategies[strategy](sideOf(member), failures, stop)
    },
  })
  servePunching({
    peer,
    context,
    signalFor: awaiting.signalFor,
    isMember: (peerId) => isMember(peer.peer(peerId)),
  })

  return {
    /** Resolves after the signal, when all its sockets are closed. */
    closed: sockets.closed,
    update,
    setNatInfo(next: NatInfo): void {
      // An identical object means that the address was not queried again.
      if (next.mapped !== natInfo.mapped) context.listeners.setOwnAddress(next.mapped)
      natInfo = next
      update()
    },
    /** Forgets the NAT types and all failures, for use after a change of network. */
    restart(): void {
      natInfo = UNKNOWN_NAT
      context.listeners.setOwnAddress(undefined)
      attempts.restart()
    },
    /** Forgets failures: what is known of the router is new. */
    retry: attempts.restart,
  }

  /** Starts and ends attempts as needed; to be called after every change of members and connections. */
  function update(): void {
    awaiting.update()
    context.rpcClient.forget((peerId) => peer.peer(peerId) !== undefined)
    attempts.update()
  }

  function targets(): readonly PunchTarget[] {
    const { udp, tcp, mapped } = natInfo
    const own = { peerId: peer.ownId, udp, tcp, canUdp: mapped !== undefined }
    return peer
      .peers()
      .filter((member) => isMember(member) && !hasGoodConnection(member) && wants(member.record.peerId))
      .map((member) => targetOf(own, sideOf(member), member.connection !== undefined))
  }

  function hasGoodConnection({ record: { peerId } }: RemotePeer): boolean {
    const connections = peer.connections.established()
    return connections.some((connection) => connection.peerId === peerId && !isFallback(connection))
  }
}

type Punch = (peer: PunchSide, failures: number, signal: AbortSignal) => Promise<void>

function strategiesOf(context: PunchContext): Readonly<Record<PunchStrategy, Punch>> {
  return {
    cone: (peer, failures, stop) => punchCone(context, peer.peerId, failures, stop),
    'symmetric-to-cone': (peer, failures, stop) => punchFromSymmetric(context, peer.peerId, failures, stop),
    'cone-to-symmetric': (peer, _, stop) => punchTowardsSymmetric(context, peer.peerId, stop),
    'both-predictable': (peer, _, stop) => punchPredictable(context, peer.peerId, peer.udp, stop),
    tcp: (peer, _, stop) => punchTcp(context, peer.peerId, stop),
  }
}

/** @param isUpgrade whether the member has a fallback connection */
function targetOf(
  own: PunchSide & { readonly canUdp: boolean },
  other: PunchSide,
  isUpgrade: boolean,
): PunchTarget {
  const plan = punchPlan(own, other)
  const isUdpLikely =
    plan.includes('cone') &&
    other.udp !== natTypes.unknown &&
    !isSymmetric(own.udp) &&
    !isSymmetric(other.udp)
  return {
    peerId: other.peerId,
    natTypes: [own.udp, own.tcp, other.udp, other.tcp, isUpgrade].join(),
    strategies: isUpgrade ? plan.filter((strategy) => strategy === 'cone' && isUdpLikely) : plan,
    isUdpLikely,
    isUpgrade,
  }
}

function isMember(peer: RemotePeer | undefined): boolean {
  return peer !== undefined && !peer.record.features.isSharedNode
}

/**
 * Punched TCP stalls at each lost packet, which a game notices. It is often the first connection to members that run the original
 * program, which query their routers for seconds before they punch UDP.
 */
function isFallback({ origin }: PeerConnection): boolean {
  return origin.transport === 'tcp' && origin.isPunched === true
}
