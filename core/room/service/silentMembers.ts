import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'

/** A member whose players have expired may still be connected: its program may have lost its connection to the room protocol only. */
const LOOK_MS = 1000

/**
 * Finds the members that left without a goodbye, which other programs do not send: their players have expired, and they are no
 * longer in the network. Their streams to the world can be closed.
 * @param dependencies.isBack whether a player of this member is in the room
 * @returns to be called when a player of a member has expired
 */
export function createSilentMembers(dependencies: {
  readonly isBack: (memberId: string) => boolean
  readonly isConnected: (memberId: string) => boolean
  /** Called once for each that is found. */
  readonly onGone: (memberId: string) => void
  readonly clock: Clock
  readonly signal: AbortSignal
}): (memberId: string) => void {
  const { isBack, isConnected, onGone, clock, signal } = dependencies
  const looking = new Map<string, () => void>()
  onAbort(signal, () => {
    for (const stop of looking.values()) stop()
    looking.clear()
  })
  return (memberId) => {
    if (!looking.has(memberId)) look(memberId)
  }

  function look(memberId: string): void {
    looking.delete(memberId)
    if (signal.aborted || isBack(memberId)) return
    if (!isConnected(memberId)) onGone(memberId)
    else {
      const stop = clock.after(LOOK_MS, () => look(memberId))
      looking.set(memberId, stop)
    }
  }
}
