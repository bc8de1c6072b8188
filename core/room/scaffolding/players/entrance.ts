import { guestIdOf, type Player } from '../../profiles'
import type { RoomCaller } from '../wire/commands'
import { type HostDecisions, isAllowed } from './hostDecisions'
import type { PlayerRegistry } from './registry'

/** So many members of one address are refused or removed until the host is no longer asked about others of it: others live there, too. */
export const MAX_BANNED = 3

/** The rules by which players enter a hosted room, from what its host has decided so far. @see docs/decisions.md, D112 */
export function createEntrance(dependencies: {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  readonly addressOf: (memberId: string) => string | undefined
  readonly isPrivate: boolean
  readonly onKnown: () => void
}) {
  const { registry, decisions, addressOf, isPrivate, onKnown } = dependencies
  const { bans, approved, proofs } = decisions

  return {
    mayEnter(player: Player, caller: RoomCaller): boolean {
      const { machineId } = player
      if (isAllowed(player, decisions.policy)) return true
      if (isClosedToStrangers()) return isKnown(machineId, caller)
      if (registry.memberOf(machineId) !== undefined || isApproved(machineId, caller)) return true
      return !isGuarded() && bannedAt(caller.memberId) === 0
    },
    /** Whether a player of this member who may not enter may ask the host. */
    mayAsk(memberId: string): boolean {
      if (bannedAt(memberId) >= MAX_BANNED) return false
      const { needsApproval, allowed } = decisions.policy
      return needsApproval || (isClosedToStrangers() && allowed.length === 0)
    },
    /** Whether members without a player reach the world: one cannot be told from one who was removed and returns as another. */
    isOpen: (): boolean => !isGuarded() && bans.size === 0,
    /**
     * A player who may enter has registered: what its connection has shown is kept for it.
     * A guest that comes back as another member has its place at once: the earlier one may seem connected for a while.
     */
    recognise(machineId: string, caller: RoomCaller): void {
      const owner = registry.memberOf(machineId)
      const isItself = owner === undefined || owner === caller.memberId
      if (isItself && proofs.keep(machineId, caller)) onKnown()
      if (!isItself && isClosedToStrangers() && proofs.isOf(machineId, caller))
        registry.leave(machineId, owner)
    },
  }

  /** A removed guest knows the code, and could return as anyone. */
  function isClosedToStrangers(): boolean {
    return isPrivate && bans.hasRemoved()
  }

  /** By what its program has shown before; one that shows nothing, by its member or the host's word. */
  function isKnown(machineId: string, caller: RoomCaller): boolean {
    if (proofs.has(machineId)) return proofs.isOf(machineId, caller)
    return registry.memberOf(machineId) === caller.memberId || isApproved(machineId, caller)
  }

  function isApproved(machineId: string, { memberId }: RoomCaller): boolean {
    return approved.has(machineId) || approved.has(guestIdOf(memberId))
  }

  function isGuarded(): boolean {
    const { needsApproval, allowed } = decisions.policy
    return needsApproval || allowed.length > 0
  }

  /** How many banned members connected from where this one does. */
  function bannedAt(memberId: string): number {
    const address = addressOf(memberId)
    return address === undefined ? 0 : bans.membersAt(address)
  }
}
