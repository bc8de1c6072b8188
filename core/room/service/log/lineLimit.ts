import type { Clock } from '#core/async/clock'
import { onAbort } from '#core/async/onAbort'
import { createTokenBuckets } from '#core/tokenBuckets'

/** Of the log in the feed. With players and status, a listener gets about ten messages in its busiest second. */
const RATE = { perSecond: 2, burst: 5 }
/** How often the number of dropped lines is logged. */
const TELL_MS = 2000

/**
 * Limits how many lines of the log the feed gets: members can make a host write thousands.
 * @param signal ends its timer
 * @param tellMissing called with the number of lines that were left out since it was last called
 * @returns whether the next line is to be told
 */
export function createLineLimit(
  clock: Clock,
  signal: AbortSignal,
  tellMissing: (count: number) => void,
): () => boolean {
  const bucket = createTokenBuckets(clock, RATE)
  let missing = 0
  let cancel = () => {}
  onAbort(signal, () => cancel())

  return () => {
    // Lines are told in order: none before the number of those that are missing.
    if (missing === 0 && bucket.take('lines')) return true
    missing += 1
    if (missing === 1 && !signal.aborted) cancel = clock.after(TELL_MS, tell)
    return false
  }

  function tell(): void {
    const count = missing
    missing = 0
    tellMissing(count)
  }
}
