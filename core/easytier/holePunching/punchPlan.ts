import { isSymmetric, type NatType, natTypes } from '../nat/natType'

/** The ways to open a path through two routers. Each side decides by itself which ones it begins. */
export type PunchKind =
  /** Both routers keep one port for a socket: both sides send to the other's. */
  | 'cone'
  /** Ours gives every target another port: many sockets here, and the other side tries ports of our router. */
  | 'symmetric-to-cone'
  /** The other router does: many sockets there, and we try ports of it. */
  | 'cone-to-symmetric'
  /** Both do, in steps that can be foreseen. */
  | 'both-predictable'
  /** Two TCP connections that meet. */
  | 'tcp'

export type PunchSide = {
  readonly peerId: number
  readonly udp: NatType
  readonly tcp: NatType
}

/**
 * What this side begins with that one.
 * @param own.canUdp whether STUN servers answer us by UDP: without that no punching by it can work
 * @see docs/network/nat-traversal.md
 */
export function punchKinds(
  own: PunchSide & { readonly canUdp: boolean },
  other: PunchSide,
): readonly PunchKind[] {
  const udp = own.canUdp ? udpKind(own, other) : undefined
  // A type that is not known cannot be told to the other side, which then refuses. A symmetric one answers only.
  const byTcp = own.tcp !== natTypes.unknown && !isSymmetric(own.tcp) && other.tcp !== natTypes.unknown
  return [...(udp ? [udp] : []), ...(byTcp ? (['tcp'] as const) : [])]
}

/** Whether the ports that a router gives next can be foreseen. */
export function isPredictable(type: NatType): boolean {
  return type === natTypes.symmetricEasyIncreasing || type === natTypes.symmetricEasyDecreasing
}

function udpKind(own: PunchSide, other: PunchSide): PunchKind | undefined {
  // Who is on the internet itself is dialled.
  if (own.udp === natTypes.openInternet || other.udp === natTypes.openInternet) return undefined
  if (!isSymmetric(own.udp)) return isSymmetric(other.udp) ? 'cone-to-symmetric' : 'cone'
  if (!isSymmetric(other.udp)) return 'symmetric-to-cone'
  const isBoth = isPredictable(own.udp) && isPredictable(other.udp)
  return isBoth && own.peerId < other.peerId ? 'both-predictable' : undefined
}
