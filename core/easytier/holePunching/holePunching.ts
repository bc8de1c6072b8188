import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { type NatInfo, UNKNOWN_NAT } from '../nat/natObserver'
import { isSymmetric, natTypeOf, natTypes } from '../nat/natType'
import type { Peer, RemotePeer } from '../peer/peer'
import type { ConnectionOrigin, PeerConnection } from '../peer/peerConnection'
import type { Serve } from '../peer/rpcCalls'
import type { Connection, Transports } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import { createAwaitingConnection } from './awaitingConnection'
import { createPunchAttempts, type Wanted } from './punchAttempts'
import { mappedOf, type PunchContext } from './punchContext'
import { type PunchKind, type PunchSide, punchKinds } from './punchPlan'
import { createPunchServer } from './punchServer'
import { createPunchRpcClient } from './rpcClient'
import { createPunchDatagrams } from './sockets/punchDatagrams'
import { createPunchListeners } from './sockets/punchListeners'
import { createPunchSockets } from './sockets/punchSockets'
import { punchCone } from './strategies/cone'
import { punchPredictable, punchTowardsSymmetric } from './strategies/manySockets'
import { punchFromSymmetric } from './strategies/symmetric'
import { punchTcp } from './strategies/tcp'

/** Opens direct paths through routers, and helps members to open theirs. @see docs/network/nat-traversal.md */
export type HolePunching = {
  /** Looks who has no direct link and should have one; called after every change. */
  look(): void
  /** How the internet sees us has become known, or has changed. */
  see(view: NatInfo): void
  /** Answers the calls of hole punching; undefined for others. */
  readonly serve: Serve
  /** Forgets what has failed: the network has changed. */
  again(): void
  /** Resolves after the signal, when every socket of it is closed. */
  readonly closed: Promise<void>
}

export type HolePunchingOptions = {
  readonly node: () => Peer
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  /** The room's own socket, which takes links. */
  readonly udp: UdpTransport
  /** Whether a direct link to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  readonly attach: (link: Connection, origin: Omit<ConnectionOrigin, 'transport'>) => void
  readonly signal: AbortSignal
}

export function createHolePunching(options: HolePunchingOptions): HolePunching {
  const { node, clock, log, signal } = options
  let view = UNKNOWN_NAT
  const sockets = createPunchSockets(options)
  /** Punched TCP often stands first with real members, who ask their routers for seconds before they punch by UDP. */
  const isSettled = ({ record: { peerId } }: RemotePeer) =>
    node()
      .connections()
      .some((link) => link.peerId === peerId && !isMakeshift(link))
  const unlinked = createAwaitingConnection(node, ({ link }) => link !== undefined, signal)
  const unsettled = createAwaitingConnection(node, isSettled, signal)
  const context: PunchContext = {
    clock,
    log,
    sockets,
    view: () => view,
    attach: options.attach,
    transports: options.transports,
    randomBytes: options.randomBytes,
    asking: createPunchRpcClient(clock, node),
    datagrams: createPunchDatagrams(clock),
    listeners: createPunchListeners({
      clock,
      sockets,
      own: options.udp,
      map: (socket) => mappedOf(context, socket, signal),
      onLink: (link) => options.attach(link, { isDialler: false, isPunched: true }),
    }),
  }
  const ways: Readonly<Record<PunchKind, Way>> = {
    cone: (peer, failures, stop) => punchCone(context, peer.peerId, failures, stop),
    'symmetric-to-cone': (peer, failures, stop) => punchFromSymmetric(context, peer.peerId, failures, stop),
    'cone-to-symmetric': (peer, _, stop) => punchTowardsSymmetric(context, peer.peerId, stop),
    'both-predictable': (peer, _, stop) => punchPredictable(context, peer.peerId, peer.udp, stop),
    tcp: (peer, _, stop) => punchTcp(context, peer.peerId, stop),
  }
  const attempts = createPunchAttempts({
    clock,
    log,
    signal,
    wanted,
    signalFor: (peerId, kind) => (kind === 'cone' ? unsettled : unlinked).signalFor(peerId),
    async punch(kind, peerId, failures, stop) {
      await context.asking.ready(peerId, stop)
      const peer = node().peer(peerId)
      if (peer) await ways[kind](sideOf(peer), failures, stop)
    },
  })
  const { serve } = createPunchServer({
    context,
    signalFor: unlinked.signalFor,
    isMember: (peerId) => isMember(node().peer(peerId)),
  })

  return {
    look,
    serve,
    see(next) {
      // The same one again was not asked for anew.
      if (next.mapped !== view.mapped) context.listeners.seen(next.mapped)
      view = next
      look()
    },
    again() {
      view = UNKNOWN_NAT
      context.listeners.seen(undefined)
      attempts.again()
    },
    closed: sockets.closed,
  }

  function look(): void {
    unlinked.look()
    unsettled.look()
    context.asking.forget((peerId) => node().peer(peerId) !== undefined)
    attempts.look()
  }

  function wanted(): readonly Wanted[] {
    const own = { peerId: node().ownId, udp: view.udp, tcp: view.tcp, canUdp: view.mapped !== undefined }
    return node()
      .peers()
      .filter((peer) => isMember(peer) && !isSettled(peer) && options.wants(peer.record.peerId))
      .map((peer) => {
        const other = sideOf(peer)
        const isKnown = other.udp !== natTypes.unknown && !isSymmetric(own.udp) && !isSymmetric(other.udp)
        const kinds = punchKinds(own, other)
        const isUdpLikely = kinds.includes('cone') && isKnown
        const isSpare = peer.link !== undefined
        const types = [own.udp, own.tcp, other.udp, other.tcp, isSpare].join()
        const useful = isSpare ? kinds.filter((kind) => kind === 'cone' && isUdpLikely) : kinds
        return { peerId: other.peerId, kinds: useful, types, isUdpLikely, isSpare }
      })
  }
}

type Way = (peer: PunchSide, failures: number, signal: AbortSignal) => Promise<void>

function isMember(peer: RemotePeer | undefined): boolean {
  return peer !== undefined && !peer.record.features.isSharedNode
}

/** It stands still at each lost packet, which a game notices. */
function isMakeshift({ origin }: PeerConnection): boolean {
  return origin.transport === 'tcp' && origin.isPunched === true
}

function sideOf({ record }: RemotePeer): PunchSide {
  return { peerId: record.peerId, udp: natTypeOf(record.udpNatType), tcp: natTypeOf(record.tcpNatType) }
}
