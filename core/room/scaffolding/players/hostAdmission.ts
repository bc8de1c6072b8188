import type { Clock } from '#core/async/clock'
import { ServiceError } from '#core/errors'
import type { Standing } from '#core/shares'
import type { Member } from '../../networkStatus'
import {
  guestIdOf,
  memberIdIn,
  type Player,
  type Profile,
  toKnownGuest,
  toMemberPlayer,
} from '../../profiles'
import { THIS_MACHINE } from '../../roomNetwork'
import { REFUSED, REMOVED } from '../wire/commands'
import type { Access, HostAdmission } from './admission'
import { NOWHERE } from './bans'
import { createEntrance } from './entrance'
import type { HostDecisions } from './hostDecisions'
import type { PlayerRegistry } from './registry'
import { createWaitingList, type WaitingPlayer } from './waitingList'

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
  /** Of the members, where too many wait. */
  readonly standing?: () => Standing<string>
  readonly clock: Clock
  readonly onChange: () => void
  readonly onKnown?: () => void
}): HostAdmission {
  const { registry, decisions, addressOf, memberOf, onChange } = dependencies
  const { bans, approved, proofs } = decisions
  const waiting = createWaitingList(dependencies.clock, onChange, dependencies.standing)
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
      if (!entrance.mayAsk(caller.memberId)) throw new ServiceError('forbidden', REFUSED)
      waiting.add(player, caller)
      return false
    },
    accessOf,
    waitingOf: (memberId) => waiting.of(memberId).map((player) => ({ ...player, kind: 'GUEST' })),
    guests: () => [...waiting.list().map(({ player }) => toKnownGuest(player, 'waiting')), ...bans.list()],
    prove(proof, caller) {
      proofs.note(proof, caller)
      const { memberId } = caller
      return !isBanned(memberId) && registry.idsOf(memberId).some((id) => proofs.isOf(id, caller))
    },
    isBanned,
    isRemoved: (memberId) => bans.stateOfMember(memberId) === 'removed',
    hasPlace,
    isListed: (memberId) => isBanned(memberId) || waiting.of(memberId).length > 0,
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
      const { memberId } = entry.caller
      const isBound = memberId !== THIS_MACHINE && !hasPlace(memberId)
      ban(isBound ? waiting.of(memberId) : [entry.player], 'refused', isBound ? memberId : undefined)
      return isBound ? memberId : undefined
    },
    remove(id) {
      const member = memberCalled(id)
      const memberId = member?.id ?? registry.memberOf(id)
      if (memberId === undefined) throw noGuest(id)
      const isBound = memberId !== THIS_MACHINE
      const isGone = ({ machineId }: Profile) =>
        isBound ? registry.memberOf(machineId) === memberId : machineId === id
      const players = [...registry.list().filter(isGone), ...(isBound ? waiting.of(memberId) : [])]
      approved.delete(guestIdOf(memberId))
      const isUnseen = member !== undefined && players.length === 0
      ban(isUnseen ? [toMemberPlayer(member)] : players, 'removed', isBound ? memberId : undefined)
      return isBound ? memberId : undefined
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
    if (isBanned(memberId)) return 'refused'
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
    return member !== undefined && !isBanned(member.id)
  }

  function refuseBanned(machineId: string, memberId: string): void {
    const state = bans.stateOf(machineId) ?? bans.stateOfMember(memberId)
    if (state) throw new ServiceError('forbidden', state === 'removed' ? REMOVED : REFUSED)
  }

  function isBanned(memberId: string): boolean {
    return bans.stateOfMember(memberId) !== undefined
  }

  /** @param memberId is banned with them, and its address; undefined for programs of this machine, and members that stay */
  function ban(players: readonly Player[], state: 'refused' | 'removed', memberId: string | undefined): void {
    const origin = memberId === undefined ? NOWHERE : { memberId, address: addressOf(memberId) }
    for (const { name, machineId, vendor } of players) {
      approved.delete(machineId)
      if (state === 'removed') proofs.forget(machineId)
      bans.add({ name, machineId, vendor }, state, origin)
      waiting.remove(machineId)
      registry.leave(machineId, registry.memberOf(machineId) ?? '')
    }
    onChange()
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
