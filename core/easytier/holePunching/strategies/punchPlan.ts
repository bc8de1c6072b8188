import { isSymmetric, type NatType, natTypeOf, natTypes } from '#easytier/nat/natType'
import type { RemotePeer } from '#easytier/peer/peerOptions'

/** How to open a path through two routers. Each side decides by itself which strategies it starts. */
export type PunchStrategy =
  /** Both routers keep one port for a socket: both sides send to the other's. */
  | 'cone'
  /** Our router maps each target to another port: many sockets here, and the other side tries ports of our router. */
  | 'symmetric-to-cone'
  /** The other router does: many sockets there, and we try ports of that router. */
  | 'cone-to-symmetric'
  /** Both do, in steps that can be predicted. */
  | 'both-predictable'
  /** A simultaneous open of two TCP connections. */
  | 'tcp'

export type PunchSide = {
  readonly peerId: number
  readonly udp: NatType
  readonly tcp: NatType
}

/**
 * The strategies that this side starts to reach the other one.
 * @param own.canUdp whether STUN servers answer us over UDP: without that no UDP strategy can work
 * @see docs/network/nat-traversal.md
 */
export function punchPlan(
  own: PunchSide & { readonly canUdp: boolean },
  other: PunchSide,
): readonly PunchStrategy[] {
  const udp = own.canUdp ? udpStrategy(own, other) : undefined
  // A side whose type is unknown is refused by the other; a symmetric one only answers.
  const canTcp = own.tcp !== natTypes.unknown && !isSymmetric(own.tcp) && other.tcp !== natTypes.unknown
  return [...(udp ? [udp] : []), ...(canTcp ? (['tcp'] as const) : [])]
}

/** A member as its own record describes it. */
export function sideOf({ record }: RemotePeer): PunchSide {
  return { peerId: record.peerId, udp: natTypeOf(record.udpNatType), tcp: natTypeOf(record.tcpNatType) }
}

/** Whether the next ports of a router can be predicted. */
export function isPredictable(type: NatType): boolean {
  return type === natTypes.symmetricEasyIncreasing || type === natTypes.symmetricEasyDecreasing
}

function udpStrategy(own: PunchSide, other: PunchSide): PunchStrategy | undefined {
  // A side with a public address of its own is dialled.
  if (own.udp === natTypes.openInternet || other.udp === natTypes.openInternet) return undefined
  if (!isSymmetric(own.udp)) return isSymmetric(other.udp) ? 'cone-to-symmetric' : 'cone'
  if (!isSymmetric(other.udp)) return 'symmetric-to-cone'
  const areBoth = isPredictable(own.udp) && isPredictable(other.udp)
  return areBoth && own.peerId < other.peerId ? 'both-predictable' : undefined
}
