import { createWindowGain } from './windowGain'

/**
 * What a sender knows of its path: the time of a round trip, and how much may be under way.
 * @see docs/network/streams.md, "The KCP sender's control law"
 */
export type PathEstimate = {
  /** One round trip was measured. */
  measured(roundTripMs: number, now: number): void
  /** @param total segments that have arrived since the start */
  delivered(total: number, now: number): void
  /** A segment is believed lost. */
  lost(): void
  /** The sender had less to send than the limit allows: what arrives in this round says little about the path. */
  ranDry(): void
  /** Nothing was under way: the next arrival begins a new round. After more than a second the old limit is obsolete. */
  wasIdle(idleMs: number, now: number): void
  /** Something has come back after this long without anything. */
  wasSilent(silentMs: number): void
  /** Segments that may be under way. */
  limit(now: number): number
  /** Segments that may leave in a millisecond: faster than the path delivers, but not the whole limit at once. */
  rate(): number
  /** After so many milliseconds a segment is believed lost. */
  timeOut(): number
  /** Smoothed; undefined before the first one. */
  roundTrip(): number | undefined
}

/** Segments that may be under way before anything is known. */
export const FIRST_LIMIT = 96
const MAX_LIMIT = 1024
const MIN_LIMIT = 16
/** How much faster than the path delivers segments may leave. */
const PACE = 1.5
/** Round trips that our own queue explains, with some slack. */
const MAX_OWN_QUEUE = 2.5
const ROUNDS = 10
const FIRST_TIME_OUT = 50
const MIN_TIME_OUT = 30
const MAX_TIME_OUT = 2000
/** Peers acknowledge up to 10 ms late: shorter round trips are counted as this long. */
const LEAST_ROUND = 12
/** The shortest round trip is measured anew when it was not seen for so long. */
const SHORTEST_HOLDS = 10_000

export function createPathEstimate(): PathEstimate {
  let smoothed: number | undefined
  let deviation = 0
  let shortest = Number.POSITIVE_INFINITY
  let shortestSeenAt = 0
  /** Shortest of the present second. */
  let recent = Number.POSITIVE_INFINITY
  let recentSince = 0
  let shortestOfRound = Number.POSITIVE_INFINITY
  const gain = createWindowGain()
  let drainUntil = 0
  let countFrom = 0

  let limit = FIRST_LIMIT
  let rounds: number[] = []
  let round: { readonly since: number; readonly total: number } | undefined
  let wasBusy = true

  const roundLength = () => Math.max(Math.min(shortest, smoothed ?? LEAST_ROUND), LEAST_ROUND)
  const forget = () => {
    rounds = []
    round = undefined
    limit = Math.min(limit, FIRST_LIMIT)
  }
  /** Our own queue explains no more than two round trips: a longer time means that the path has changed. */
  const watchShortest = (ms: number, now: number) => {
    recent = Math.min(recent, ms)
    shortestOfRound = Math.min(shortestOfRound, ms)
    if (ms <= shortest + 1) shortestSeenAt = now
    shortest = Math.min(shortest, ms)
    if (now - recentSince < 1000) return
    if (recent > MAX_OWN_QUEUE * Math.max(shortest, LEAST_ROUND)) shortest = recent
    recent = Number.POSITIVE_INFINITY
    recentSince = now
  }

  const startRound = (now: number, total: number) => {
    round = { since: now, total }
    wasBusy = true
  }
  const raiseOrLowerLimit = (inOneRound: number) => {
    if (!wasBusy && inOneRound * gain.value <= limit) return
    rounds.push(inOneRound)
    if (rounds.length > ROUNDS) rounds.shift()
    limit = Math.min(MAX_LIMIT, Math.max(MIN_LIMIT, Math.ceil(gain.value * Math.max(...rounds))))
  }

  return {
    measured(ms, now) {
      if (smoothed === undefined) {
        smoothed = ms
        deviation = ms / 2
        recentSince = now
      } else {
        deviation += (Math.abs(ms - smoothed) - deviation) / 4
        smoothed += (ms - smoothed) / 8
      }
      watchShortest(ms, now)
    },
    delivered(total, now) {
      if (now < countFrom) {
        round = undefined
        return
      }
      if (!round) return startRound(now, total)
      const length = roundLength()
      const passed = now - round.since
      if (passed < length) return
      const arrived = total - round.total
      gain.endRound(arrived, shortestOfRound - shortest, shortest)
      shortestOfRound = Number.POSITIVE_INFINITY
      raiseOrLowerLimit((arrived * length) / passed)
      startRound(now, total)
    },
    lost: gain.lost,
    rate() {
      if (rounds.length === 0) return Number.POSITIVE_INFINITY
      return (Math.max(PACE, gain.value) * Math.max(...rounds)) / roundLength()
    },
    ranDry() {
      wasBusy = false
    },
    wasIdle(idleMs, now) {
      // On a fast path everything arrives before the pacer lets the next burst leave; that pause is part of the round.
      if (idleMs < LEAST_ROUND) return
      round = undefined
      if (idleMs <= 1000) return
      forget()
      shortestSeenAt = now
    },
    wasSilent(silentMs) {
      if (silentMs > 1000) forget()
    },
    limit(now) {
      if (now < drainUntil) return Math.max(MIN_LIMIT / 2, limit / 4)
      if (now - shortestSeenAt > SHORTEST_HOLDS && smoothed !== undefined && limit > MIN_LIMIT) {
        // Our own queue may have hidden the shortest time: let it drain for a moment and measure again.
        drainUntil = now + smoothed + LEAST_ROUND
        countFrom = drainUntil + smoothed
        shortest = Number.POSITIVE_INFINITY
        shortestSeenAt = now
      }
      return limit
    },
    timeOut() {
      if (smoothed === undefined) return FIRST_TIME_OUT
      const slack = Math.max(10, smoothed / 4, 4 * deviation)
      return Math.min(MAX_TIME_OUT, Math.max(MIN_TIME_OUT, Math.ceil(smoothed + slack)))
    },
    roundTrip: () => smoothed,
  }
}
