import type { Player, Profile } from '../profiles'
import type { Caller } from './commands'

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
