import type { Clock, RoomLog } from '../../ports'
import type { Carriers, PacketLink } from '../carriers'
import type { UdpEndpoint } from '../links/udpEndpoint'
import { isSymmetric, natTypeOf, natTypes } from '../nat/natType'
import type { Serve } from '../node/calls'
import type { Link, LinkOrigin } from '../node/link'
import type { Node, NodePeer } from '../node/node'
import { type NatView, NO_VIEW } from '../peer/outsideView'
import { createAsking } from './asking'
import { createAttempts, type Wanted } from './attempts'
import { mappedOf, type PunchContext } from './context'
import { type PunchKind, type PunchSide, punchKinds } from './plan'
import { createPunchServing } from './serving'
import { createPunchDatagrams } from './sockets/datagrams'
import { createPunchListeners } from './sockets/listeners'
import { createPunchSockets } from './sockets/sockets'
import { createUnlinked } from './unlinked'
import { punchCone } from './ways/cone'
import { punchPredictable, punchTowardsSymmetric } from './ways/manySockets'
import { punchFromSymmetric } from './ways/symmetric'
import { punchTcp } from './ways/tcp'

/** Opens direct paths through routers, and helps members to open theirs. @see docs/network.md */
export type Punching = {
  /** Looks who has no direct link and should have one; called after every change. */
  look(): void
  /** How the internet sees us has become known, or has changed. */
  see(view: NatView): void
  /** Answers the calls of hole punching; undefined for others. */
  readonly serve: Serve
  /** Forgets what has failed: the network has changed. */
  again(): void
  /** Resolves after the signal, when every socket of it is closed. */
  readonly closed: Promise<void>
}

export type PunchingOptions = {
  readonly node: () => Node
  readonly carriers: Carriers
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  /** The room's own socket, which takes links. */
  readonly udp: UdpEndpoint
  /** Whether a direct link to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  readonly attach: (link: PacketLink, origin: Omit<LinkOrigin, 'carrier'>) => void
  readonly signal: AbortSignal
}

export function createPunching(options: PunchingOptions): Punching {
  const { node, clock, log, signal } = options
  let view = NO_VIEW
  const sockets = createPunchSockets(options)
  /** Punched TCP often stands first with real members, who ask their routers for seconds before they punch by UDP. */
  const isSettled = ({ record: { peerId } }: NodePeer) =>
    node()
      .links()
      .some((link) => link.peerId === peerId && link.isOpen && !isMakeshift(link))
  const unlinked = createUnlinked(node, ({ link }) => link !== undefined, signal)
  const unsettled = createUnlinked(node, isSettled, signal)
  const context: PunchContext = {
    ...{ clock, log, sockets, view: () => view, attach: options.attach },
    ...{ carriers: options.carriers, randomBytes: options.randomBytes },
    asking: createAsking(clock, node),
    datagrams: createPunchDatagrams(clock),
    listeners: createPunchListeners({
      ...{ clock, sockets, own: options.udp },
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
  const attempts = createAttempts({
    ...{ clock, log, signal, wanted },
    signalFor: (peerId, kind) => (kind === 'cone' ? unsettled : unlinked).signalFor(peerId),
    async punch(kind, peerId, failures, stop) {
      await context.asking.ready(peerId, stop)
      const peer = node().peer(peerId)
      if (peer) await ways[kind](sideOf(peer), failures, stop)
    },
  })
  const { serve } = createPunchServing({
    ...{ context, signalFor: unlinked.signalFor },
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
      view = NO_VIEW
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

function isMember(peer: NodePeer | undefined): boolean {
  return peer !== undefined && !peer.record.features.isSharedNode
}

/** It stands still at each lost packet, which a game notices. */
function isMakeshift({ origin }: Link): boolean {
  return origin.carrier === 'tcp' && origin.isPunched === true
}

function sideOf({ record }: NodePeer): PunchSide {
  return { peerId: record.peerId, udp: natTypeOf(record.udpNatType), tcp: natTypeOf(record.tcpNatType) }
}
