import type { Flight } from './flight'

/** Between two sendings of the same segment, in milliseconds, unless the path needs longer for an answer. */
const LONGEST_WAIT = 1000

const FIRST_TIME_OUT = 50
const MIN_TIME_OUT = 30
const MAX_TIME_OUT = 2000
/** A time-out that was too short multiplies the slack of the next ones; each round trip takes a little of that back. */
const PATIENCE_UP = 1.5
const PATIENCE_DOWN = 0.99
const MAX_PATIENCE = 8

/** The smoothed time of a round trip, and after which time a segment is believed lost; in milliseconds. */
export class RoundTripTime {
  #smoothed: number | undefined
  #deviation = 0
  #patience = 1

  /** Undefined before the first measurement. */
  get smoothed(): number | undefined {
    return this.#smoothed
  }

  measured(ms: number): void {
    if (this.#smoothed === undefined) {
      this.#smoothed = ms
      this.#deviation = ms / 2
    } else {
      this.#deviation += (Math.abs(ms - this.#smoothed) - this.#deviation) / 4
      this.#smoothed += (ms - this.#smoothed) / 8
    }
  }

  /** A segment that had timed out has arrived after all. */
  timedOutTooSoon(): void {
    this.#patience = Math.min(MAX_PATIENCE, this.#patience * PATIENCE_UP)
  }

  roundEnded(): void {
    this.#patience = Math.max(1, this.#patience * PATIENCE_DOWN)
  }

  timeOut(): number {
    if (this.#smoothed === undefined) return FIRST_TIME_OUT
    const slack = Math.max(10, this.#smoothed / 4, 4 * this.#deviation) * this.#patience
    return Math.min(MAX_TIME_OUT, Math.max(MIN_TIME_OUT, Math.ceil(this.#smoothed + slack)))
  }
}

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
