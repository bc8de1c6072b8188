import { ServiceError } from '@lantern-room/base'
import { createEmitter, type Emitter } from '@lantern-room/base/async'
import type { RoomMember } from '../../members'
import { THIS_MACHINE } from '../../members'
import {
  guestIdOf,
  type KnownGuest,
  memberIdIn,
  type Player,
  type Profile,
  toKnownGuest,
  toMemberPlayer,
} from '../../profiles'
import { REFUSED, REMOVED, type RoomCaller } from '../wire/commands'
import { NOWHERE } from './bans'
import { type Access, createEntrance, type HostAdmissionOptions } from './entrance'
import type { AdmissionPolicy } from './hostDecisions'
import { createWaitingList, type WaitingPlayer } from './waitingList'

/**
 * Who may enter a hosted room. Members who are not admitted can speak the room protocol, in order to be told, and reach
 * nothing else. Its public members can be passed on alone.
 */
export class HostAdmission {
  readonly #waiting: ReturnType<typeof createWaitingList>
  readonly #entrance: ReturnType<typeof createEntrance>
  readonly #options: HostAdmissionOptions
  readonly #changes: Emitter<void>

  private constructor(
    options: HostAdmissionOptions,
    waiting: ReturnType<typeof createWaitingList>,
    changes: Emitter<void>,
  ) {
    this.#options = options
    this.#waiting = waiting
    this.#entrance = createEntrance(options)
    this.#changes = changes
  }

  /** @example const admission = HostAdmission.open({ registry, decisions, memberOf, addressOf, clock }) */
  static open(options: HostAdmissionOptions): HostAdmission {
    const changes = createEmitter<void>()
    const waiting = createWaitingList(options.clock, changes.emit, options.standing)
    return new HostAdmission(options, waiting, changes)
  }

  /** Subscribes to changes of `guests` and of what members may do. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void {
    return this.#changes.subscribe(listener)
  }

  /**
   * Decides on a player who registers.
   * @returns whether it may be registered now; otherwise it waits as long as the caller's connection is open
   * @throws ServiceError `forbidden` when it is refused, `too-busy` when too many wait
   */
  readonly admit = (player: Player, caller: RoomCaller): boolean => {
    const { bans } = this.#options.decisions
    const banned = bans.stateOf(player.machineId) ?? bans.stateOfMember(caller.memberId)
    if (banned) throw new ServiceError('forbidden', banned === 'removed' ? REMOVED : REFUSED)
    if (this.#entrance.mayEnter(player, caller)) {
      this.#entrance.recognise(player.machineId, caller)
      this.#waiting.remove(player.machineId)
      return true
    }
    if (!this.#entrance.mayAsk(caller.memberId)) throw new ServiceError('forbidden', REFUSED)
    this.#waiting.add(player, caller)
    return false
  }

  readonly waiting = (machineId: string): WaitingPlayer | undefined => this.#waiting.get(machineId)

  /** Takes a waiting player off, whose program is back as another member. */
  readonly forgetWaiting = (machineId: string): void => this.#waiting.remove(machineId)

  readonly accessOf = (memberId: string): Access => {
    if (this.hasPlace(memberId)) return 'admitted'
    if (this.isBanned(memberId)) return 'refused'
    return this.#entrance.isOpen() ? 'admitted' : 'waiting'
  }

  readonly waitingOf = (memberId: string): readonly Profile[] =>
    this.#waiting.of(memberId).map((player) => ({ ...player, kind: 'GUEST' }))

  /** The players that the host can answer, or has refused; the waiting first. */
  readonly guests = (): readonly KnownGuest[] => [
    ...this.#waiting.list().map(({ player }) => toKnownGuest(player, 'waiting')),
    ...this.#options.decisions.bans.list(),
  ]

  /**
   * Notes the proof by which a guest is recognised, for all that comes by this connection.
   * @returns whether a player in the room, of the member that has opened it, is the one who has shown the same
   */
  readonly prove = (proof: Uint8Array, caller: RoomCaller): boolean => {
    const { proofs } = this.#options.decisions
    proofs.note(proof, caller)
    const { memberId } = caller
    return (
      !this.isBanned(memberId) && this.#options.registry.idsOf(memberId).some((id) => proofs.isOf(id, caller))
    )
  }

  /** Whether nothing of this member is to be accepted: a player of it was refused or removed. */
  readonly isBanned = (memberId: string): boolean =>
    this.#options.decisions.bans.stateOfMember(memberId) !== undefined

  /** Whether a player of this member is in the room, or the host has let the member in without one. */
  readonly hasPlace = (memberId: string): boolean =>
    this.#options.registry.namesOf(memberId).length > 0 ||
    this.#options.decisions.approved.has(guestIdOf(memberId))

  /** Whether `guests` lists the member, or a player of it. */
  readonly isListed = (memberId: string): boolean =>
    this.isBanned(memberId) || this.#waiting.of(memberId).length > 0

  /**
   * Lets a waiting or refused player in, or a member without a player, for as long as the room exists.
   * @throws ServiceError `not-found`; `too-busy` when the room is full
   */
  readonly approve = (id: string): void => {
    const { bans, approved, approvedNames, proofs } = this.#options.decisions
    const entry = this.#waiting.get(id)
    if (!entry && !bans.stateOf(id) && !this.#isUnansweredMember(id)) throw noGuest(id)
    // First, because it throws where the room is full: the player then waits on, and nothing is decided.
    if (entry) {
      this.#enter(entry)
      proofs.forget(id)
      proofs.keep(id, entry.caller)
    }
    const name = entry?.player.name ?? bans.list().find((ban) => ban.id === id)?.name
    if (name !== undefined) approvedNames.add(id, name)
    approved.add(id)
    bans.lift(id)
    this.#changes.emit()
  }

  /**
   * Refuses a waiting player, for as long as the room exists, with its member and the address from which that member connects
   * directly, unless the member has a player in the room.
   * @returns the member if it is refused
   * @throws ServiceError `not-found`
   */
  readonly refuse = (id: string): string | undefined => {
    const entry = this.#waiting.get(id)
    if (!entry) throw noGuest(id)
    const { memberId } = entry.caller
    const isBound = memberId !== THIS_MACHINE && !this.hasPlace(memberId)
    const players = isBound ? this.#waiting.of(memberId) : [entry.player]
    this.#ban(players, 'refused', isBound ? memberId : undefined)
    return isBound ? memberId : undefined
  }

  /**
   * Removes a player with its member and the address from which that member connects directly, or a member with its players.
   * @param id of a player, or what `guestIdOf` makes of a member's
   * @returns the member; undefined when it is a program on this machine
   * @throws ServiceError `not-found`
   */
  readonly remove = (id: string): string | undefined => {
    const member = this.#memberCalled(id)
    const memberId = member?.id ?? this.#options.registry.memberOf(id)
    if (memberId === undefined) throw noGuest(id)
    const isBound = memberId !== THIS_MACHINE
    const isGone = ({ machineId }: Profile) =>
      isBound ? this.#options.registry.memberOf(machineId) === memberId : machineId === id
    const waiting = isBound ? this.#waiting.of(memberId) : []
    const players = [...this.#options.registry.list().filter(isGone), ...waiting]
    this.#options.decisions.approved.delete(guestIdOf(memberId))
    const isUnseen = member !== undefined && players.length === 0
    const banned = isUnseen ? [toMemberPlayer(member)] : players
    this.#ban(banned, 'removed', isBound ? memberId : undefined)
    return isBound ? memberId : undefined
  }

  readonly policy = (): AdmissionPolicy => this.#options.decisions.policy

  readonly setPolicy = (next: AdmissionPolicy): void => {
    this.#options.decisions.policy = next
    for (const entry of this.#waiting.list()) {
      if (!this.#entrance.mayEnter(entry.player, entry.caller)) continue
      try {
        this.#enter(entry)
      } catch (error) {
        // It goes on waiting where the room is full.
        if (!(error instanceof ServiceError)) throw error
      }
    }
    this.#changes.emit()
  }

  #memberCalled(id: string): RoomMember | undefined {
    const memberId = memberIdIn(id)
    return memberId === undefined ? undefined : this.#options.memberOf(memberId)
  }

  #isUnansweredMember(id: string): boolean {
    const member = this.#memberCalled(id)
    return member !== undefined && !this.isBanned(member.id)
  }

  /** @param memberId is banned with them, and its address; undefined for programs of this machine, and members that stay */
  #ban(players: readonly Player[], state: 'refused' | 'removed', memberId: string | undefined): void {
    const { bans, approved, approvedNames, proofs } = this.#options.decisions
    const origin = memberId === undefined ? NOWHERE : { memberId, address: this.#options.addressOf(memberId) }
    for (const { name, machineId, vendor } of players) {
      approved.delete(machineId)
      approvedNames.forget(machineId)
      if (state === 'removed') proofs.forget(machineId)
      bans.add({ name, machineId, vendor }, state, origin)
      this.#waiting.remove(machineId)
      this.#options.registry.leave(machineId, this.#options.registry.memberOf(machineId) ?? '')
    }
    this.#changes.emit()
  }

  /** @throws ServiceError when the room is full */
  #enter({ player, caller }: WaitingPlayer): void {
    this.#options.registry.ping(player, caller.memberId)
    this.#waiting.remove(player.machineId)
  }
}

function noGuest(id: string): ServiceError {
  return new ServiceError('not-found', `No guest has the id ${id}: GET /room/status lists the guests.`)
}
