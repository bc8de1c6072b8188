import { type Clock, withDeadline } from '@lantern-room/base/async'
import { detectNat, isSymmetric, type NatType, natTypes } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import type { NatKind, NatTypes } from '../../doctor/diagnosis'
import type { Difficulty } from '../../networkStatus'

/**
 * Describes the router in front of this machine, in words for people.
 * @param options.stun `host:port` of STUN servers
 * @param options.nodes shared nodes: their UDP listeners are asked as well
 * @returns undefined when no server answers; never rejects
 * @example const types = await reportNat({ transports, clock, randomBytes, stun, nodes }, 3000)
 */
export async function reportNat(
  options: {
    readonly transports: Transports
    readonly clock: Clock
    readonly randomBytes: (size: number) => Uint8Array
    readonly stun: readonly string[]
    readonly nodes: readonly string[]
  },
  limitMs: number,
): Promise<NatTypes | undefined> {
  const { transports, clock, randomBytes, stun, nodes } = options
  const late = () => new Error('the time is over')
  return withDeadline(clock, limitMs, undefined, late, async (signal) => {
    const asked = { transports, clock, randomBytes, stunServers: stun, nodes }
    const { udp, tcp } = await detectNat(asked, signal)
    if (udp === natTypes.unknown && tcp === natTypes.unknown) return undefined
    return { udp: nameOf(udp), tcp: nameOf(tcp), kind: natKindOf(udp, tcp) }
  }).catch(() => undefined)
}

/** What the types of one side mean for connections with any other side. @see docs/network/nat-traversal.md */
export function natKindOf(udp: NatType, tcp: NatType): NatKind {
  if (udp === natTypes.openInternet) return 'open'
  if (udp !== natTypes.unknown) return isSymmetric(udp) ? 'hard' : 'easy'
  return tcp !== natTypes.unknown && !isSymmetric(tcp) ? 'tcp-only' : 'blocked'
}

function nameOf(type: NatType): string {
  if (type === natTypes.unknown) return 'unknown'
  if (type === natTypes.openInternet) return 'open internet'
  if (isSymmetric(type)) return 'symmetric (hard)'
  return type === natTypes.noPat ? 'no port translation (easy)' : 'cone (good)'
}

/** From the easiest to the hardest. */
const LEVELS = ['EASIEST', 'SIMPLE', 'MEDIUM', 'TOUGH'] as const

/** How hard a direct connection between two players is: the easier side decides. */
export function natDifficulty(one: NatType, other: NatType): Difficulty {
  const ranks = [rankOf(one), rankOf(other)]
  const easiest = LEVELS.find((_, rank) => ranks.includes(rank)) ?? 'UNKNOWN'
  const isOneUnknown = one === natTypes.unknown || other === natTypes.unknown
  // The unknown side could still turn out to be the easier one.
  return isOneUnknown && easiest === 'TOUGH' ? 'UNKNOWN' : easiest
}

function rankOf(type: NatType): number {
  if (type === natTypes.unknown) return -1
  if (type === natTypes.openInternet) return 0
  if (type <= natTypes.fullCone) return 1
  return isSymmetric(type) ? 3 : 2
}
