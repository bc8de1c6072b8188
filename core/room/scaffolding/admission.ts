import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import { THIS_MACHINE } from '../ports'
import type { Player, Profile } from '../profiles'
import { type Bans, createBans, NOWHERE } from './bans'
import type { Caller } from './caller'
import { REFUSED, REMOVED } from './commands'
import { type KnownGuest, toKnownGuest } from './knownGuest'
import type { PlayerRegistry } from './registry'
import { createWaitingList, type WaitingPlayer } from './waitingList'

/** Whom the host lets in. */
export type AdmissionPolicy = {
  /** Players who are not allowed by name or id wait until the host answers. */
  readonly needsApproval: boolean
  /** Names (in any case) or machine ids. Without approval, and if there is one, nobody else is let in. */
  readonly allowed: readonly string[]
}

export const OPEN_POLICY: AdmissionPolicy = { needsApproval: false, allowed: [] }

/** What a member may do: `admitted` all, `waiting` nothing until the host answers, `refused` nothing. */
export type Access = 'admitted' | 'waiting' | 'refused'

export type Admission = {
  /**
   * Decides on a player who registers.
   * @returns whether it may be registered now; otherwise it waits as long as the caller's connection is open
   * @throws ServiceError `forbidden` when it is refused, `too-busy` when too many wait
   */
  admit(player: Player, caller: Caller): boolean
  accessOf(memberId: string): Access
  /** The players who wait, of this member. */
  waitingOf(memberId: string): readonly Profile[]
}

/** Admits everyone. */
export const OPEN_ADMISSION: Admission = {
  admit: () => true,
  accessOf: () => 'admitted',
  waitingOf: () => [],
}

export type HostAdmission = Admission & {
  /** The players that the host can answer, or has refused; the waiting first. */
  guests(): readonly KnownGuest[]
  /** Whether nothing of this member is to be accepted. */
  isBanned(memberId: string): boolean
  /** Lets a waiting or refused player in, for as long as the room exists. @throws ServiceError `not-found` */
  approve(id: string): void
  /** Refuses a waiting player, for as long as the room exists. @throws ServiceError `not-found` */
  refuse(id: string): void
  /**
   * Removes a player, with its member and the address from which that member connects directly.
   * @returns the member; undefined when it is a program on this machine
   * @throws ServiceError `not-found`
   */
  remove(id: string): string | undefined
  setPolicy(policy: AdmissionPolicy): void
}

/** What the host has decided so far. It outlives a failure of the room, so that a retry lets nobody in who was removed. */
export type HostDecisions = {
  policy: AdmissionPolicy
  readonly bans: Bans
  /** Machine ids. */
  readonly approved: Set<string>
}

export function createHostDecisions(policy: AdmissionPolicy): HostDecisions {
  return { policy, bans: createBans(), approved: new Set() }
}

/**
 * Who may enter a hosted room. Members who are not admitted can speak the room protocol, in order to be told, and reach
 * nothing else.
 * @param dependencies.addressOf the network of the machine that a member connects from directly; undefined through a relay
 * @param dependencies.onChange called when `guests` or the access of a member has changed
 */
export function createHostAdmission(dependencies: {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  readonly addressOf: (memberId: string) => string | undefined
  readonly clock: Clock
  readonly onChange: () => void
}): HostAdmission {
  const { registry, decisions, addressOf, onChange } = dependencies
  const { bans, approved } = decisions
  const waiting = createWaitingList(dependencies.clock, onChange)

  return {
    admit(player, caller) {
      refuseBanned(player.machineId, caller.memberId)
      if (mayEnter(player, caller.memberId)) {
        waiting.remove(player.machineId)
        return true
      }
      if (!decisions.policy.needsApproval) throw new ServiceError('forbidden', REFUSED)
      waiting.add(player, caller)
      return false
    },
    accessOf,
    waitingOf: (memberId) => waiting.of(memberId).map((player) => ({ ...player, kind: 'GUEST' })),
    guests: () => [...waiting.list().map(({ player }) => toKnownGuest(player, 'waiting')), ...bans.list()],
    isBanned: bans.hasRemovedMember,
    approve(id) {
      const entry = waiting.get(id)
      if (!entry && !bans.stateOf(id)) throw noGuest(id)
      approved.add(id)
      bans.lift(id)
      if (entry) enter(entry)
      onChange()
    },
    refuse(id) {
      const entry = waiting.get(id)
      if (!entry) throw noGuest(id)
      waiting.remove(id)
      approved.delete(id)
      bans.add(entry.player, 'refused', { ...NOWHERE, memberId: entry.caller.memberId })
      onChange()
    },
    remove(id) {
      const player = registry.list().find(({ machineId, kind }) => machineId === id && kind === 'GUEST')
      const memberId = registry.memberOf(id)
      if (!player || memberId === undefined) throw noGuest(id)
      const isOfThisMachine = memberId === THIS_MACHINE
      const origin = isOfThisMachine ? NOWHERE : { memberId, address: addressOf(memberId) }
      const isGone = (one: Profile) =>
        isOfThisMachine ? one === player : registry.memberOf(one.machineId) === memberId
      for (const one of registry.list().filter(isGone)) {
        approved.delete(one.machineId)
        bans.add(one, 'removed', origin)
        registry.leave(one.machineId, memberId)
      }
      onChange()
      return origin.memberId
    },
    setPolicy(next) {
      decisions.policy = next
      for (const entry of waiting.list()) {
        if (mayEnter(entry.player, entry.caller.memberId)) tryEnter(entry)
      }
      onChange()
    },
  }

  function accessOf(memberId: string): Access {
    if (registry.namesOf(memberId).length > 0) return 'admitted'
    if (bans.hasMember(memberId)) return 'refused'
    // A member without a player cannot be told from one who was removed and returns as another.
    return isGuarded() || bans.size > 0 ? 'waiting' : 'admitted'
  }

  function refuseBanned(machineId: string, memberId: string): void {
    const state = bans.stateOf(machineId)
    if (state) throw new ServiceError('forbidden', state === 'removed' ? REMOVED : REFUSED)
    if (bans.hasRemovedMember(memberId)) throw new ServiceError('forbidden', REMOVED)
  }

  function mayEnter(player: Player, memberId: string): boolean {
    const { machineId } = player
    if (registry.memberOf(machineId) !== undefined || approved.has(machineId)) return true
    if (isAllowed(player, decisions.policy)) return true
    return !isGuarded() && !comesFromBanned(memberId)
  }

  /** Whether not everyone is let in. */
  function isGuarded(): boolean {
    const { needsApproval, allowed } = decisions.policy
    return needsApproval || allowed.length > 0
  }

  /** Whether it connects from where a removed member did. */
  function comesFromBanned(memberId: string): boolean {
    const address = addressOf(memberId)
    return address !== undefined && bans.hasAddress(address)
  }

  /** @throws ServiceError when the room is full */
  function enter({ player, caller }: WaitingPlayer): void {
    registry.ping(player, caller.memberId)
    waiting.remove(player.machineId)
  }

  function tryEnter(entry: WaitingPlayer): void {
    try {
      enter(entry)
    } catch (error) {
      // It goes on waiting where the room is full.
      if (!(error instanceof ServiceError)) throw error
    }
  }
}

/** By name, in any case, or by machine id. Names can be chosen freely, ids only by players of other programs. */
function isAllowed({ name, machineId }: Player, { allowed }: AdmissionPolicy): boolean {
  const lowered = name.toLowerCase()
  return allowed.some((word) => word === machineId || word.toLowerCase() === lowered)
}

function noGuest(id: string): ServiceError {
  return new ServiceError('not-found', `No guest has the id ${id}: GET /room/status lists the guests.`)
}
