import type { Flight } from './flight'

/** Between two sendings of the same segment, in milliseconds, unless the path needs longer for an answer. */
const LONGEST_WAIT = 1000

/** Before a segment that was sent `tries` times is sent again, in milliseconds: half as long again for each try. */
export function resendTimeout(tries: number, pathTimeout: number): number {
  return Math.max(
    pathTimeout,
    Math.min(LONGEST_WAIT, Math.ceil(pathTimeout * 1.5 ** Math.min(tries - 1, 20))),
  )
}

/** When the first segment on its way times out if nothing is acknowledged; Infinity when none is on its way. */
export function nextTimeout(flight: Flight, pathTimeout: number): number {
  let next = Number.POSITIVE_INFINITY
  // Those sent once time out in the order of sending; behind the first of them none comes sooner.
  for (let slot = flight.oldest(); slot !== undefined; slot = flight.after(slot)) {
    next = Math.min(next, flight.sentAt(slot) + resendTimeout(flight.tries(slot), pathTimeout))
    if (flight.tries(slot) === 1) break
  }
  return next
}

/**
 * Finds the segments that have timed out.
 * @param lose called with the slot of each; it may take it from its chain
 * @returns whether there were any
 */
export function loseTimedOut(
  flight: Flight,
  now: number,
  pathTimeout: number,
  lose: (slot: number) => void,
): boolean {
  let slot = flight.oldest()
  let found = false
  while (slot !== undefined && now - flight.sentAt(slot) >= pathTimeout) {
    const behind = flight.after(slot)
    if (now - flight.sentAt(slot) >= resendTimeout(flight.tries(slot), pathTimeout)) {
      lose(slot)
      found = true
    }
    slot = behind
  }
  return found
}
