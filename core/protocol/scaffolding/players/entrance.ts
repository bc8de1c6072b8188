import type { Clock } from '@lantern-room/base/async'
import type { Standing } from '@lantern-room/base/limits'
import type { RoomMember } from '../../members'
import { guestIdOf, type Player } from '../../profiles'
import type { RoomCaller } from '../wire/commands'
import { type HostDecisions, isAllowed } from './hostDecisions'
import type { PlayerRegistry } from './registry'

/** The rights of a member: `admitted` has all, `waiting` none until the host answers, `refused` none. */
export type Access = 'admitted' | 'waiting' | 'refused'

export type HostAdmissionOptions = {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  /** The member with this id, if it is in the network. */
  readonly memberOf: (memberId: string) => RoomMember | undefined
  /** The network of the machine that a member connects from directly; undefined through a relay. */
  readonly addressOf: (memberId: string) => string | undefined
  /** Whether strangers have to be approved once a player was removed. @default false */
  readonly isPrivate?: boolean
  /** The standing of the members, where too many wait. @default each member is a group of its own */
  readonly standing?: () => Standing<string>
  readonly clock: Clock
  /** Called when a player who was let in can be recognised from now on. @default nothing is called */
  readonly onKnown?: () => void
}

/** So many members of one address are refused or removed until the host is no longer asked about others of it: others live there, too. */
export const MAX_BANNED = 3

/** The rules by which players enter a hosted room, from what its host has decided so far. @see docs/decisions.md, D112 */
export function createEntrance(options: HostAdmissionOptions) {
  const { registry, decisions, addressOf, isPrivate = false, onKnown = () => {} } = options
  const { bans, approved, approvedNames, proofs } = decisions

  return {
    mayEnter(player: Player, caller: RoomCaller): boolean {
      const { machineId } = player
      if (isAllowed(player, decisions.policy)) return true
      if (isClosedToStrangers()) return isKnown(player, caller)
      if (registry.memberOf(machineId) !== undefined || isApproved(player, caller)) return true
      return !isGuarded() && bannedAt(caller.memberId) === 0
    },
    /** Whether a player of this member who may not enter may ask the host. */
    mayAsk(memberId: string): boolean {
      if (bannedAt(memberId) >= MAX_BANNED) return false
      const { needsApproval, allowed } = decisions.policy
      return needsApproval || (isClosedToStrangers() && allowed.length === 0)
    },
    /** Whether members without a player reach the world: one cannot be told from one who was removed and returns as another. */
    isOpen: (): boolean => !isGuarded() && bans.isEmpty(),
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
  function isKnown(player: Player, caller: RoomCaller): boolean {
    const { machineId } = player
    if (proofs.has(machineId)) return proofs.isOf(machineId, caller)
    return registry.memberOf(machineId) === caller.memberId || isApproved(player, caller)
  }

  function isApproved(player: Player, { memberId }: RoomCaller): boolean {
    if (approved.has(guestIdOf(memberId))) return true
    return approved.has(player.machineId) && approvedNames.includes(player)
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
