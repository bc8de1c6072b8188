import type { Clock } from '#core/async/clock'
import type { Standing } from '#core/shares'
import type { Member } from '../../networkStatus'
import type { HostDecisions } from './hostDecisions'
import type { PlayerRegistry } from './registry'

/** The rights of a member: `admitted` has all, `waiting` none until the host answers, `refused` none. */
export type Access = 'admitted' | 'waiting' | 'refused'

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
