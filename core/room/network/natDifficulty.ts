import { isSymmetric, type NatType, natTypes } from '#core/easytier/nat/natType'
import type { Difficulty } from '../networkStatus'

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
