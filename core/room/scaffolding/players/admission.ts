import type { Clock } from '#core/async/clock'
import type { Standing } from '#core/shares'
import type { Member } from '../../networkStatus'
import type { KnownGuest, Player, Profile } from '../../profiles'
import type { RoomCaller } from '../wire/commands'
import type { AdmissionPolicy, HostDecisions } from './hostDecisions'
import type { PlayerRegistry } from './registry'

/** The rights of a member: `admitted` has all, `waiting` none until the host answers, `refused` none. */
export type Access = 'admitted' | 'waiting' | 'refused'

export type Admission = {
  /**
   * Decides on a player who registers.
   * @returns whether it may be registered now; otherwise it waits as long as the caller's connection is open
   * @throws ServiceError `forbidden` when it is refused, `too-busy` when too many wait
   */
  admit(player: Player, caller: RoomCaller): boolean
  accessOf(memberId: string): Access
  /** The players who wait, of this member. */
  waitingOf(memberId: string): readonly Profile[]
}

/** The host's decisions about its guests. */
export type HostAdmission = Admission & {
  /** The players that the host can answer, or has refused; the waiting first. */
  guests(): readonly KnownGuest[]
  /**
   * Notes the proof by which a guest is recognised, for all that comes by this connection.
   * @returns whether a player in the room, of the member that has opened it, is the one who has shown the same
   */
  prove(proof: Uint8Array, caller: RoomCaller): boolean
  /** Whether nothing of this member is to be accepted: a player of it was refused or removed. */
  isBanned(memberId: string): boolean
  /** Whether a player of it was removed. */
  isRemoved(memberId: string): boolean
  /** Whether a player of this member is in the room, or the host has let the member in without one. */
  hasPlace(memberId: string): boolean
  /** Whether `guests` lists the member, or a player of it. */
  isListed(memberId: string): boolean
  /**
   * Lets a waiting or refused player in, or a member without a player, for as long as the room exists.
   * @throws ServiceError `not-found`
   */
  approve(id: string): void
  /**
   * Refuses a waiting player, for as long as the room exists, with its member and the address from which that member connects
   * directly, unless the member has a player in the room.
   * @returns the member if it is refused
   * @throws ServiceError `not-found`
   */
  refuse(id: string): string | undefined
  /**
   * Removes a player with its member and the address from which that member connects directly, or a member with its players.
   * @param id of a player, or what `guestIdOf` makes of a member's
   * @returns the member; undefined when it is a program on this machine
   * @throws ServiceError `not-found`
   */
  remove(id: string): string | undefined
  setPolicy(policy: AdmissionPolicy): void
}

export type HostAdmissionOptions = {
  readonly registry: PlayerRegistry
  readonly decisions: HostDecisions
  /** The member with this id, if it is in the network. */
  readonly memberOf: (memberId: string) => Member | undefined
  /** The network of the machine that a member connects from directly; undefined through a relay. */
  readonly addressOf: (memberId: string) => string | undefined
  /** Whether strangers have to be approved once a player was removed. */
  readonly isPrivate?: boolean
  /** The standing of the members, where too many wait. */
  readonly standing?: () => Standing<string>
  readonly clock: Clock
  /** Called when `guests` or the access of a member has changed. */
  readonly onChange: () => void
  /** Called when a player who was let in can be recognised from now on. */
  readonly onKnown?: () => void
}
