import type { Clock } from '@lantern-room/base/async'
import { createEmitter } from '@lantern-room/base/async'
import type { FeedMessage } from './feedMessages'

type WithoutIndex<M> = M extends unknown ? Omit<M, 'index'> : never

export type Feed = ReturnType<typeof createFeed>

const RING_LENGTH = 1000
/**
 * Messages in any second that are not the player's own doing: members and the LAN could cause thousands. A listener that
 * connects gets five more at once, so that none gets more than ten.
 */
export const MAX_PER_SECOND = 5
const SECOND_MS = 1000

/** @param runId differs from one run of the program to the next: an index means something in its own run only */
export function createFeed(runId: string, clock: Pick<Clock, 'now'>) {
  const ring: FeedMessage[] = []
  const messages = createEmitter<FeedMessage>()
  let last = 0
  /** Index of the last message that fell out at the end of the ring. */
  let lost = 0
  /** When the last ones were published. */
  let times: readonly number[] = []

  return {
    runId,
    /** @returns the index of the message */
    publish(message: WithoutIndex<FeedMessage>): number {
      last += 1
      const numbered = { ...message, index: last } as FeedMessage
      dropReplaced(numbered.type)
      ring.push(numbered)
      if (ring.length > RING_LENGTH) lost = ring.shift()?.index ?? lost
      // A change of state is sent at once, with all that changes with it, and begins a new budget.
      times = message.type === 'state' ? [] : [...times, clock.now()].slice(-MAX_PER_SECOND)
      messages.emit(numbered)
      return last
    },
    /** @returns in how many milliseconds so many messages (1 to 5) of any kind may be published; 0 for now */
    wait(count: number): number {
      const last = times[times.length - MAX_PER_SECOND + count - 1]
      return last === undefined ? 0 : Math.max(0, last + SECOND_MS - clock.now())
    },
    /** Index of the last message; 0 before the first. */
    index: (): number => last,
    /**
     * The messages after `index`, without lists and statuses that a later one has replaced.
     * @returns undefined when some of them are no longer kept, or `index` is in the future
     */
    since(index: number): readonly FeedMessage[] | undefined {
      if (index > last || index < lost) return undefined
      return ring.filter((message) => message.index > index)
    },
    /** @returns a function that unsubscribes */
    subscribe: messages.subscribe,
  }

  /** Lists and statuses are whole: a later one says all that a client needs. */
  function dropReplaced(type: FeedMessage['type']): void {
    if (type === 'state' || type === 'log') return
    const at = ring.findLastIndex((message) => message.type === type)
    if (at >= 0) ring.splice(at, 1)
  }
}
