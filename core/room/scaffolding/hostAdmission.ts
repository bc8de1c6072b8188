import type { Clock } from '#core/async/clock'
import { ServiceError } from '#core/errors'
import { type KnownGuest, type Player, type Profile, toKnownGuest } from '../profiles'
import { THIS_MACHINE } from '../roomNetwork'
import type { Access, Admission } from './admission'
import { NOWHERE } from './bans'
import { type Caller, REFUSED, REMOVED } from './commands'
import { type AdmissionPolicy, type HostDecisions, isAllowed } from './hostDecisions'
import type { PlayerRegistry } from './registry'
import { createWaitingList, type WaitingPlayer } from './waitingList'

export type HostAdmission = Admission & {
  /** The players that the host can answer, or has refused; the waiting first. */
  guests(): readonly KnownGuest[]
  /**
   * Notes the proof by which a guest is recognised, for all that comes by this connection.
   * @returns whether a player in the room, of the member that has opened it, is the one who has shown the same
   */
  prove(proof: Uint8Array, caller: Caller): boolean
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

/**
 * Who may enter a hosted room. Members who are not admitted can speak the room protocol, in order to be told, and reach
 * nothing else.
 * @param dependencies.addressOf the network of the machine that a member connects from directly; undefined through a relay
 * @param dependencies.onChange called when `guests` or the access of a member has changed
 * @param dependencies.onKnown called when a player who was let in can be recognised from now on
 */
export function createHostAdmission(dependencies: {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  readonly addressOf: (memberId: string) => string | undefined
  /** Whether strangers have to be approved once somebody was removed. */
  readonly isPrivate?: boolean
  readonly clock: Clock
  readonly onChange: () => void
  readonly onKnown?: () => void
}): HostAdmission {
  const { registry, decisions, addressOf, isPrivate = false, onChange, onKnown = () => {} } = dependencies
  const { bans, approved, proofs } = decisions
  const waiting = createWaitingList(dependencies.clock, onChange)

  return {
    admit(player, caller) {
      refuseBanned(player.machineId, caller.memberId)
      if (mayEnter(player, caller)) {
        recognise(player.machineId, caller)
        waiting.remove(player.machineId)
        return true
      }
      if (!mayWait()) throw new ServiceError('forbidden', REFUSED)
      waiting.add(player, caller)
      return false
    },
    accessOf,
    waitingOf: (memberId) => waiting.of(memberId).map((player) => ({ ...player, kind: 'GUEST' })),
    guests: () => [...waiting.list().map(({ player }) => toKnownGuest(player, 'waiting')), ...bans.list()],
    prove(proof, caller) {
      proofs.note(proof, caller)
      const { memberId } = caller
      return !bans.hasMember(memberId) && registry.idsOf(memberId).some((id) => proofs.isOf(id, caller))
    },
    isBanned: bans.hasRemovedMember,
    approve(id) {
      const entry = waiting.get(id)
      if (!entry && !bans.stateOf(id)) throw noGuest(id)
      approved.add(id)
      bans.lift(id)
      if (entry) {
        proofs.forget(id)
        proofs.keep(id, entry.caller)
        enter(entry)
      }
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
        proofs.forget(one.machineId)
        bans.add(one, 'removed', origin)
        registry.leave(one.machineId, memberId)
      }
      onChange()
      return origin.memberId
    },
    setPolicy(next) {
      decisions.policy = next
      for (const entry of waiting.list()) {
        if (mayEnter(entry.player, entry.caller)) tryEnter(entry)
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

  function mayEnter(player: Player, caller: Caller): boolean {
    const { machineId } = player
    if (isAllowed(player, decisions.policy)) return true
    if (isClosedToStrangers()) return isKnown(machineId, caller)
    if (registry.memberOf(machineId) !== undefined || approved.has(machineId)) return true
    return !isGuarded() && !comesFromBanned(caller.memberId)
  }

  /** A guest that comes back as another member has its place at once: the earlier one may seem connected for a while. */
  function recognise(machineId: string, caller: Caller): void {
    const owner = registry.memberOf(machineId)
    const isItself = owner === undefined || owner === caller.memberId
    if (isItself && proofs.keep(machineId, caller)) onKnown()
    if (!isItself && isClosedToStrangers() && proofs.isOf(machineId, caller)) registry.leave(machineId, owner)
  }

  /** A removed guest knows the code, and could return as anyone. */
  function isClosedToStrangers(): boolean {
    return isPrivate && bans.hasRemoved()
  }

  /** By what its program has shown before; one that shows nothing, by its member or the host's word. */
  function isKnown(machineId: string, caller: Caller): boolean {
    if (proofs.has(machineId)) return proofs.isOf(machineId, caller)
    return registry.memberOf(machineId) === caller.memberId || approved.has(machineId)
  }

  function mayWait(): boolean {
    const { needsApproval, allowed } = decisions.policy
    return needsApproval || (isClosedToStrangers() && allowed.length === 0)
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

function noGuest(id: string): ServiceError {
  return new ServiceError('not-found', `No guest has the id ${id}: GET /room/status lists the guests.`)
}
