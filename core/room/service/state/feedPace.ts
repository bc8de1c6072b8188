import type { Clock } from '#core/async/clock'
import type { Feed } from './feed'

/**
 * Messages of the feed in any second that are not the player's own doing: members and the LAN could cause thousands. A
 * listener that connects gets five more at once, so that none gets more than ten.
 */
export const MAX_PER_SECOND = 5
const SECOND_MS = 1000

/** One budget for messages of all kinds. A change of state starts a new budget: it is sent at once, with all that changes with it. */
export function createFeedPace(feed: Pick<Feed, 'subscribe'>, clock: Pick<Clock, 'now'>) {
  /** When the last ones were published. */
  let times: readonly number[] = []
  feed.subscribe(({ type }) => {
    times = type === 'state' ? [] : [...times, clock.now()].slice(-MAX_PER_SECOND)
  })
  return {
    /** @returns in how many milliseconds so many messages (1 to 5) may be published; 0 for now */
    wait(count: number): number {
      const last = times[times.length - MAX_PER_SECOND + count - 1]
      return last === undefined ? 0 : Math.max(0, last + SECOND_MS - clock.now())
    },
  }
}
