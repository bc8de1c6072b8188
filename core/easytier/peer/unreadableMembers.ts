import { setNewest } from '@lantern-room/base/limits'
import { MAX_RECORDS } from './routing/routeTable'

/** One may be damaged, or not the sender's own. */
const ENOUGH = 3

/**
 * Tells which members seal in another way than this one: of their packets the last ones could not be opened, or came unsealed. A
 * relay can send such packets in the name of a member, so that this may explain a failure, but must not cause one.
 */
export class UnreadableMembers {
  /** How many in a row, where there are any. Bounded, because a member may use ever new ids. */
  readonly #counts = new Map<number, number>()

  note(peerId: number, isRead: boolean): void {
    if (isRead) this.#counts.delete(peerId)
    else setNewest(this.#counts, peerId, (this.#counts.get(peerId) ?? 0) + 1, MAX_RECORDS)
  }

  has(peerId: number): boolean {
    return (this.#counts.get(peerId) ?? 0) >= ENOUGH
  }
}
