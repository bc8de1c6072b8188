import type { TransportKind } from '../../transport/transports'
import { RoundTripTime } from './resendTimeout'
import { KCP_WINDOW } from './segments'
import { WindowGain } from './windowGain'

/** Segments that may be under way before anything is known. */
const FIRST_LIMIT = 96
/**
 * Where a round trip takes less than the least round this keeps the path busy, and more would only wait, with packets of other
 * streams behind it.
 */
const LATE_NEAR_LIMIT = 1024
/**
 * The same where acknowledgements are not late: so many, and for each millisecond of a round trip those of a fast path. By UDP a
 * transfer was a fifth slower with 64, and no faster with more, and a small packet beside it waited longer. By TCP, where many leave
 * in one write, 128 were two thirds as fast as 1,024.
 */
const PROMPT_NEAR_LIMIT = 128
const PROMPT_TCP_LIMIT = 512
const FAST_PATH = 96
const MIN_LIMIT = 16
/** How much faster than the path delivers segments may leave. */
const PACE = 1.5
/** Round trips that our own queue explains, with some slack. */
const MAX_OWN_QUEUE = 2.5
const ROUNDS = 10
/** Peers acknowledge up to 10 ms late: shorter round trips are counted as this long. */
const LEAST_ROUND = 12
/** The shortest round trip is measured anew when it was not seen for so long. */
const SHORTEST_HOLDS = 10_000

/** Segments that may leave at once: so many, or those of so many milliseconds. */
const MIN_BURST = 32
const BURST_MS = 4

/**
 * A sender's estimate of its path: the time of a round trip, and how much may be under way.
 * @see docs/network/streams.md, "The KCP sender's control law"
 */
export class PathEstimate {
  readonly time = new RoundTripTime()
  readonly gain = new WindowGain()
  #shortest = Number.POSITIVE_INFINITY
  #shortestSeenAt = 0
  /** Shortest of the present second. */
  #recent = Number.POSITIVE_INFINITY
  #recentSince = 0
  #shortestOfRound = Number.POSITIVE_INFINITY
  #lastDelivery = 0
  #drainUntil = 0
  #countFrom = 0

  #limit = FIRST_LIMIT
  #rounds: number[] = []
  #round: { readonly since: number; readonly total: number } | undefined
  #wasBusy = true
  #promptLimit = LATE_NEAR_LIMIT

  /** The other side acknowledges as we do: after 2 ms or 32 segments. */
  hasPromptPeer(carrier: TransportKind | undefined): void {
    this.#promptLimit = carrier === 'udp' ? PROMPT_NEAR_LIMIT : PROMPT_TCP_LIMIT
  }

  measured(ms: number, now: number): void {
    if (this.time.smoothed === undefined) this.#recentSince = now
    this.time.measured(ms)
    this.#watchShortest(ms, now)
  }

  /** @param total segments that have arrived since the start */
  delivered(total: number, now: number): void {
    if (this.#round && now - this.#lastDelivery > this.#roundLength() / 2) this.gain.stalled()
    this.#lastDelivery = now
    if (now < this.#countFrom) {
      this.#round = undefined
      return
    }
    if (!this.#round) {
      this.#startRound(now, total)
      return
    }
    const length = this.#roundLength()
    const passed = now - this.#round.since
    if (passed < length) return
    const arrived = total - this.#round.total
    this.gain.endRound(arrived, this.#shortestOfRound - this.#shortest, this.#shortest)
    this.#shortestOfRound = Number.POSITIVE_INFINITY
    this.time.roundEnded()
    this.#raiseOrLowerLimit((arrived * length) / passed)
    this.#startRound(now, total)
  }

  /** The sender had less to send than the limit allows: what arrives in this round says little about the path. */
  ranDry(): void {
    this.#wasBusy = false
  }

  /** Nothing was under way: the next arrival begins a new round. After more than a second the old limit is obsolete. */
  wasIdle(idleMs: number, now: number): void {
    // On a fast path everything arrives before the pacer lets the next burst leave; that pause is part of the round.
    if (idleMs < LEAST_ROUND) return
    this.#round = undefined
    if (idleMs <= 1000) return
    this.#forget()
    this.#shortestSeenAt = now
  }

  /** Something has come back after this long without anything. */
  wasSilent(silentMs: number): void {
    if (silentMs > 1000) this.#forget()
  }

  /** Segments that may be under way. */
  limit(now: number): number {
    if (now < this.#drainUntil) return Math.max(MIN_LIMIT / 2, this.#limit / 4)
    const { smoothed } = this.time
    if (now - this.#shortestSeenAt > SHORTEST_HOLDS && smoothed !== undefined && this.#limit > MIN_LIMIT) {
      // Our own queue may have hidden the shortest time: let it drain for a moment and measure again.
      this.#drainUntil = now + smoothed + LEAST_ROUND
      this.#countFrom = this.#drainUntil + smoothed
      this.#shortest = Number.POSITIVE_INFINITY
      this.#shortestSeenAt = now
    }
    return this.#limit
  }

  /** Segments that may leave in a millisecond: faster than the path delivers, but not the whole limit at once. */
  rate(): number {
    if (this.#rounds.length === 0) return Number.POSITIVE_INFINITY
    return (Math.max(PACE, this.gain.value) * Math.max(...this.#rounds)) / this.#roundLength()
  }

  #roundLength(): number {
    return Math.max(Math.min(this.#shortest, this.time.smoothed ?? LEAST_ROUND), LEAST_ROUND)
  }

  #forget(): void {
    this.#rounds = []
    this.#round = undefined
    this.#limit = Math.min(this.#limit, FIRST_LIMIT)
  }

  /** Our own queue explains no more than two round trips: a longer time means that the path has changed. */
  #watchShortest(ms: number, now: number): void {
    this.#recent = Math.min(this.#recent, ms)
    this.#shortestOfRound = Math.min(this.#shortestOfRound, ms)
    if (ms <= this.#shortest + 1) this.#shortestSeenAt = now
    this.#shortest = Math.min(this.#shortest, ms)
    if (now - this.#recentSince < 1000) return
    if (this.#recent > MAX_OWN_QUEUE * Math.max(this.#shortest, LEAST_ROUND)) this.#shortest = this.#recent
    this.#recent = Number.POSITIVE_INFINITY
    this.#recentSince = now
  }

  #mostNear(): number {
    // Not known while it is measured anew.
    return Math.min(this.#promptLimit + FAST_PATH * this.#shortest, LATE_NEAR_LIMIT)
  }

  #startRound(now: number, total: number): void {
    this.#round = { since: now, total }
    this.#wasBusy = true
  }

  #raiseOrLowerLimit(inOneRound: number): void {
    if (!this.#wasBusy && inOneRound * this.gain.value <= this.#limit) return
    this.#rounds.push(inOneRound)
    if (this.#rounds.length > ROUNDS) this.#rounds.shift()
    const wanted = Math.ceil(this.gain.value * Math.max(...this.#rounds))
    const most = this.#roundLength() > LEAST_ROUND ? KCP_WINDOW : this.#mostNear()
    this.#limit = Math.min(most, Math.max(MIN_LIMIT, wanted))
  }
}

/** Keeps bursts short, so that they do not overflow a short queue on the path. */
export class Pacer {
  /** Segments that may leave, and when that was computed. */
  #allowance = FIRST_LIMIT
  #filledAt = 0

  /** @param rate segments that may leave in a millisecond; Infinity while the path is unknown */
  refill(now: number, rate: number): void {
    if (rate === Number.POSITIVE_INFINITY) this.#allowance = FIRST_LIMIT
    else {
      const most = Math.max(MIN_BURST, rate * BURST_MS)
      this.#allowance = Math.min(most, this.#allowance + rate * (now - this.#filledAt))
    }
    this.#filledAt = now
  }

  /** Counts a segment, when one may leave now. @returns whether it may */
  take(): boolean {
    if (this.#allowance < 1) return false
    this.#allowance -= 1
    return true
  }

  /** When the next segment may leave; Infinity while one may leave at once. */
  nextDeadline(): number {
    return this.#allowance < 1 ? this.#filledAt + 1 : Number.POSITIVE_INFINITY
  }
}
