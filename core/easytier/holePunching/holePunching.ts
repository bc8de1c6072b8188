import type { Log } from '@lantern-room/base'
import { type NatInfo, UNKNOWN_NAT } from '../nat/natObserver'
import { isSymmetric, natTypes } from '../nat/natType'
import type { StunOptions } from '../nat/queryStun'
import type { Peer } from '../peer/peer'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import type { RemotePeer } from '../peer/peerOptions'
import type { Connection } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import { awaitConnections, PunchAttempts, type PunchTarget } from './punchAttempts'
import { servePunching } from './servePunching'
import { createPunchDatagrams } from './sockets/punchDatagrams'
import { PunchListeners } from './sockets/punchListeners'
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
}

/** The latest report about our router. */
type OwnNat = { info: NatInfo }

type HolePunchingParts = Pick<HolePunchingOptions, 'peer' | 'wants'> & {
  readonly nat: OwnNat
  readonly awaiting: ReturnType<typeof awaitConnections>
  readonly context: PunchContext
  readonly attempts: PunchAttempts
}

/** Opens direct connections through routers, and helps other members to open theirs. @see docs/network/nat-traversal.md */
export class HolePunching {
  readonly #peer: Peer
  readonly #wants: (peerId: number) => boolean
  readonly #nat: OwnNat
  readonly #awaiting: ReturnType<typeof awaitConnections>
  readonly #context: PunchContext
  readonly #attempts: PunchAttempts

  /** Punches, and answers the calls of members, until the signal aborts. */
  static open(options: HolePunchingOptions, signal: AbortSignal): HolePunching {
    const { peer, clock, log, wants } = options
    const nat = { info: UNKNOWN_NAT }
    const awaiting = awaitConnections(peer, signal)
    const context = contextOf(options, nat, signal)
    const strategies = strategiesOf(context)
    const attempts = PunchAttempts.open(
      {
        clock,
        log,
        punch: async (strategy, peerId, failures, stop) => {
          await context.rpcClient.ready(peerId, stop)
          const member = peer.peer(peerId)
          if (member) await strategies[strategy](sideOf(member), failures, stop)
        },
      },
      signal,
    )
    servePunching({
      peer,
      context,
      signalFor: awaiting.signalFor,
      isMember: (peerId) => isMember(peer.peer(peerId)),
    })
    return new HolePunching({ peer, wants, nat, awaiting, context, attempts })
  }

  private constructor(parts: HolePunchingParts) {
    this.#peer = parts.peer
    this.#wants = parts.wants
    this.#nat = parts.nat
    this.#awaiting = parts.awaiting
    this.#context = parts.context
    this.#attempts = parts.attempts
  }

  /** Resolves after the signal, when all its sockets are closed. */
  get closed(): Promise<void> {
    return this.#context.sockets.closed
  }

  /** Starts and ends attempts as needed; to be called after every change of members and connections. */
  update(): void {
    this.#awaiting.update()
    this.#context.rpcClient.forget((peerId) => this.#peer.peer(peerId) !== undefined)
    this.#attempts.update(this.#targets())
  }

  setNatInfo(next: NatInfo): void {
    // An identical object means that the address was not queried again.
    if (next.mapped !== this.#nat.info.mapped) this.#context.listeners.setOwnAddress(next.mapped)
    this.#nat.info = next
    this.update()
  }

  /** Forgets the NAT types and all failures, for use after a change of network. */
  restart(): void {
    this.#nat.info = UNKNOWN_NAT
    this.#context.listeners.setOwnAddress(undefined)
    this.retry()
  }

  /** Forgets failures: what is known of the router is new. */
  retry(): void {
    this.#attempts.restart(this.#targets())
  }

  #targets(): readonly PunchTarget[] {
    const { udp, tcp, mapped } = this.#nat.info
    const own = { peerId: this.#peer.ownId, udp, tcp, canUdp: mapped !== undefined }
    return this.#peer
      .peers()
      .filter((one) => isMember(one) && !this.#hasGoodConnection(one) && this.#wants(one.record.peerId))
      .map((one) => targetOf(own, sideOf(one), one.connection !== undefined))
  }

  #hasGoodConnection({ record: { peerId } }: RemotePeer): boolean {
    const connections = this.#peer.connections.established()
    return connections.some((connection) => connection.peerId === peerId && !isFallback(connection))
  }
}

/** What strategies and calls share: the sockets, and the limits that all of them together keep. */
function contextOf(options: HolePunchingOptions, nat: OwnNat, signal: AbortSignal): PunchContext {
  const { transports, peer, clock, randomBytes, log, attach } = options
  const asked = { transports, clock, randomBytes, natInfo: () => nat.info }
  const sockets = createPunchSockets({ transports, clock, randomBytes, signal })
  return {
    transports,
    clock,
    randomBytes,
    natInfo: asked.natInfo,
    log,
    attach,
    sockets,
    rpcClient: createPunchRpcClient(clock, peer),
    datagrams: createPunchDatagrams(clock),
    listeners: new PunchListeners({
      clock,
      sockets,
      own: options.udp,
      mappedAddressOf: (socket) => mappedAddressOf(asked, socket, signal),
      onConnection: (connection) => attach(connection, { isDialler: false, isPunched: true }),
    }),
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
