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
  for (let segment = flight.oldest(); segment; segment = segment.next) {
    next = Math.min(next, segment.sentAt + resendTimeout(segment.tries, pathTimeout))
    if (segment.tries === 1) break
  }
  return next
}

/** Marks the segments that have timed out as lost. @returns whether there were any */
export function loseTimedOut(flight: Flight, now: number, pathTimeout: number): boolean {
  const before = flight.lost
  let segment = flight.oldest()
  while (segment && now - segment.sentAt >= pathTimeout) {
    const { next } = segment
    if (now - segment.sentAt >= resendTimeout(segment.tries, pathTimeout)) flight.markLost(segment, false)
    segment = next
  }
  return flight.lost > before
}
