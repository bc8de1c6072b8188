import type { Log } from '#core/log'
import { type NatInfo, UNKNOWN_NAT } from '../nat/natObserver'
import { isSymmetric, natTypes } from '../nat/natType'
import type { StunOptions } from '../nat/queryStun'
import type { Peer } from '../peer/peer'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import type { RemotePeer } from '../peer/peerOptions'
import type { Connection } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import { AwaitingConnection, PunchAttempts, type PunchTarget } from './punchAttempts'
import { servePunching } from './servePunching'
import { createPunchDatagrams } from './sockets/punchDatagrams'
import { PunchListeners } from './sockets/punchListeners'
import { PunchSockets } from './sockets/punchSockets'
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
export class HolePunching {
  readonly #options: HolePunchingOptions
  readonly #sockets: PunchSockets
  readonly #context: PunchContext
  readonly #awaiting: AwaitingConnection
  readonly #attempts: PunchAttempts
  #natInfo = UNKNOWN_NAT

  constructor(options: HolePunchingOptions) {
    const { peer, clock, log, signal } = options
    this.#options = options
    this.#sockets = new PunchSockets(options)
    this.#awaiting = new AwaitingConnection(peer, signal)
    this.#context = this.#createContext()
    const strategies = strategiesOf(this.#context)
    this.#attempts = new PunchAttempts({
      clock,
      log,
      signal,
      targets: () => this.#targets(),
      punch: async (strategy, peerId, failures, stop) => {
        await this.#context.rpcClient.ready(peerId, stop)
        const member = peer.peer(peerId)
        if (member) await strategies[strategy](sideOf(member), failures, stop)
      },
    })
    servePunching({
      peer,
      context: this.#context,
      signalFor: (peerId) => this.#awaiting.signalFor(peerId),
      isMember: (peerId) => isMember(peer.peer(peerId)),
    })
  }

  /** Resolves after the signal, when all its sockets are closed. */
  get closed(): Promise<void> {
    return this.#sockets.closed
  }

  /** Starts and ends attempts as needed; to be called after every change of members and connections. */
  update(): void {
    const { peer } = this.#options
    this.#awaiting.update()
    this.#context.rpcClient.forget((peerId) => peer.peer(peerId) !== undefined)
    this.#attempts.update()
  }

  setNatInfo(next: NatInfo): void {
    // An identical object means that the address was not queried again.
    if (next.mapped !== this.#natInfo.mapped) this.#context.listeners.setOwnAddress(next.mapped)
    this.#natInfo = next
    this.update()
  }

  /** Forgets the NAT types and all failures, for use after a change of network. */
  restart(): void {
    this.#natInfo = UNKNOWN_NAT
    this.#context.listeners.setOwnAddress(undefined)
    this.#attempts.restart()
  }

  /** Forgets failures: what is known of the router is new. */
  retry(): void {
    this.#attempts.restart()
  }

  #createContext(): PunchContext {
    const { peer, clock, attach, udp, signal } = this.#options
    const context: PunchContext = {
      ...this.#options,
      sockets: this.#sockets,
      natInfo: () => this.#natInfo,
      rpcClient: createPunchRpcClient(clock, peer),
      datagrams: createPunchDatagrams(clock),
      listeners: new PunchListeners({
        clock,
        sockets: this.#sockets,
        own: udp,
        mappedAddressOf: (socket) => mappedAddressOf(context, socket, signal),
        onConnection: (connection) => attach(connection, { isDialler: false, isPunched: true }),
      }),
    }
    return context
  }

  #targets(): readonly PunchTarget[] {
    const { peer, wants } = this.#options
    const { udp, tcp, mapped } = this.#natInfo
    const own = { peerId: peer.ownId, udp, tcp, canUdp: mapped !== undefined }
    return peer
      .peers()
      .filter((member) => isMember(member) && !this.#hasGoodConnection(member) && wants(member.record.peerId))
      .map((member) => targetOf(own, sideOf(member), member.connection !== undefined))
  }

  #hasGoodConnection({ record: { peerId } }: RemotePeer): boolean {
    const connections = this.#options.peer.connections.established()
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
