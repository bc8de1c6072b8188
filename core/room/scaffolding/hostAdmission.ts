import type { Clock } from '#core/async/clock'
import { ServiceError } from '#core/errors'
import type { Member } from '../networkStatus'
import {
  guestIdOf,
  type KnownGuest,
  memberIdIn,
  type Profile,
  toKnownGuest,
  toMemberPlayer,
} from '../profiles'
import { THIS_MACHINE } from '../roomNetwork'
import type { Access, Admission } from './admission'
import { NOWHERE } from './bans'
import { type Caller, REFUSED, REMOVED } from './commands'
import { createEntrance } from './entrance'
import type { AdmissionPolicy, HostDecisions } from './hostDecisions'
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
  /** Whether a player of this member is in the room, or the host has let the member in without one. */
  hasPlace(memberId: string): boolean
  /** Whether `guests` lists the member, or a player of it. */
  isListed(memberId: string): boolean
  /**
   * Lets a waiting or refused player in, or a member without a player, for as long as the room exists.
   * @throws ServiceError `not-found`
   */
  approve(id: string): void
  /** Refuses a waiting player, for as long as the room exists. @throws ServiceError `not-found` */
  refuse(id: string): void
  /**
   * Removes a player with its member and the address from which that member connects directly, or a member with its players.
   * @param id of a player, or what `guestIdOf` makes of a member's
   * @returns the member; undefined when it is a program on this machine
   * @throws ServiceError `not-found`
   */
  remove(id: string): string | undefined
  setPolicy(policy: AdmissionPolicy): void
}

/**
 * Who may enter a hosted room. Members who are not admitted can speak the room protocol, in order to be told, and reach
 * nothing else.
 * @param dependencies.memberOf the member with this id, if it is in the network
 * @param dependencies.addressOf the network of the machine that a member connects from directly; undefined through a relay
 * @param dependencies.onChange called when `guests` or the access of a member has changed
 * @param dependencies.onKnown called when a player who was let in can be recognised from now on
 */
export function createHostAdmission(dependencies: {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  readonly memberOf: (memberId: string) => Member | undefined
  readonly addressOf: (memberId: string) => string | undefined
  /** Whether strangers have to be approved once somebody was removed. */
  readonly isPrivate?: boolean
  readonly clock: Clock
  readonly onChange: () => void
  readonly onKnown?: () => void
}): HostAdmission {
  const { registry, decisions, addressOf, memberOf, onChange } = dependencies
  const { bans, approved, proofs } = decisions
  const waiting = createWaitingList(dependencies.clock, onChange)
  const entrance = createEntrance({
    registry,
    decisions,
    addressOf,
    isPrivate: dependencies.isPrivate ?? false,
    onKnown: dependencies.onKnown ?? (() => {}),
  })

  return {
    admit(player, caller) {
      refuseBanned(player.machineId, caller.memberId)
      if (entrance.mayEnter(player, caller)) {
        entrance.recognise(player.machineId, caller)
        waiting.remove(player.machineId)
        return true
      }
      if (!entrance.mayAsk()) throw new ServiceError('forbidden', REFUSED)
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
    hasPlace,
    isListed: (memberId) => bans.hasMember(memberId) || waiting.of(memberId).length > 0,
    approve(id) {
      const entry = waiting.get(id)
      if (!entry && !bans.stateOf(id) && !isUnansweredMember(id)) throw noGuest(id)
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
      const member = memberCalled(id)
      const memberId = member?.id ?? registry.memberOf(id)
      if (memberId === undefined) throw noGuest(id)
      const isOfThisMachine = memberId === THIS_MACHINE
      const origin = isOfThisMachine ? NOWHERE : { memberId, address: addressOf(memberId) }
      const isGone = ({ machineId }: Profile) =>
        isOfThisMachine ? machineId === id : registry.memberOf(machineId) === memberId
      const players = [...registry.list().filter(isGone), ...waiting.of(origin.memberId ?? '')]
      approved.delete(guestIdOf(memberId))
      for (const one of member && players.length === 0 ? [toMemberPlayer(member)] : players) {
        approved.delete(one.machineId)
        proofs.forget(one.machineId)
        bans.add(one, 'removed', origin)
        waiting.remove(one.machineId)
        registry.leave(one.machineId, memberId)
      }
      onChange()
      return origin.memberId
    },
    setPolicy(next) {
      decisions.policy = next
      for (const entry of waiting.list()) {
        if (entrance.mayEnter(entry.player, entry.caller)) tryEnter(entry)
      }
      onChange()
    },
  }

  function accessOf(memberId: string): Access {
    if (hasPlace(memberId)) return 'admitted'
    if (bans.hasMember(memberId)) return 'refused'
    return entrance.isOpen() ? 'admitted' : 'waiting'
  }

  function hasPlace(memberId: string): boolean {
    return registry.namesOf(memberId).length > 0 || approved.has(guestIdOf(memberId))
  }

  function memberCalled(id: string): Member | undefined {
    const memberId = memberIdIn(id)
    return memberId === undefined ? undefined : memberOf(memberId)
  }

  function isUnansweredMember(id: string): boolean {
    const member = memberCalled(id)
    return member !== undefined && !bans.hasMember(member.id)
  }

  function refuseBanned(machineId: string, memberId: string): void {
    const state = bans.stateOf(machineId)
    if (state) throw new ServiceError('forbidden', state === 'removed' ? REMOVED : REFUSED)
    if (bans.hasRemovedMember(memberId)) throw new ServiceError('forbidden', REMOVED)
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
