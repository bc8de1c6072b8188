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
  /** The sender had no more to send, though it might have: what arrives now says little about the path. */
  ranDry(): void
  /** Nothing was under way: the next arrival begins a new round. After a second of that the old limit says nothing any more. */
  wasIdle(idleMs: number, now: number): void
  /** Nothing came back for this long; now something did. */
  wasSilent(silentMs: number): void
  /** Segments that may be under way. */
  limit(now: number): number
  /** Segments that may leave in a millisecond: more than the path delivers, but not all that the limit allows at once. */
  rate(): number
  /** After so many milliseconds a segment is believed lost. */
  timeOut(): number
  /** Smoothed; undefined before the first one. */
  roundTrip(): number | undefined
}

/** Segments that may be under way before anything is known. */
export const FIRST_LIMIT = 96
const MOST = 1024
const FEWEST = 16
/** How much more than was delivered in a round trip: much while nothing is known, so that the limit finds its size … */
const START_GAIN = 3
/** … twice where there is no queue, so that it can grow and loss does not starve it … */
const GAIN = 2
/** … and just enough to keep a line busy where the packets wait for each other. */
const LEAST_GAIN = 1.2
const GAIN_DOWN = 0.9
const GAIN_UP = 1.05
/** More than bad lines lose by themselves: a short queue runs over. */
const MUCH_LOSS = 0.1
const OVERFLOW_DOWN = 0.8
/** How much faster than the path delivers segments may leave. */
const PACE = 1.5
/** So many rounds with the least gain and a queue all the same: it is not ours. Then others are not given way to for a while. */
const FOREIGN_QUEUE = 8
const CONTEST_ROUNDS = 50
const ROUNDS = 10
const FIRST_TIME_OUT = 50
const LEAST_TIME_OUT = 30
const MOST_TIME_OUT = 2000
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
  let gain = START_GAIN
  let lostInRound = 0
  let foreign = 0
  let contest = 0
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
  /** The own queue explains no more than GAIN round trips: a longer one means another path. */
  const watchShortest = (ms: number, now: number) => {
    recent = Math.min(recent, ms)
    shortestOfRound = Math.min(shortestOfRound, ms)
    if (ms <= shortest + 1) shortestSeenAt = now
    shortest = Math.min(shortest, ms)
    if (now - recentSince < 1000) return
    if (recent > (GAIN + 0.5) * Math.max(shortest, LEAST_ROUND)) shortest = recent
    recent = Number.POSITIVE_INFINITY
    recentSince = now
  }

  const adaptGain = (arrived: number) => {
    const queueing = shortestOfRound - shortest
    const hasOverflow = lostInRound > MUCH_LOSS * (lostInRound + arrived)
    shortestOfRound = Number.POSITIVE_INFINITY
    lostInRound = 0
    if (hasOverflow) {
      gain = Math.max(LEAST_GAIN, Math.min(GAIN, gain) * OVERFLOW_DOWN)
      contest = 0
    } else if (contest > 0) {
      contest -= 1
    } else if (Number.isFinite(queueing) && queueing > Math.max(6, shortest / 8)) {
      const isForeign = gain === LEAST_GAIN && queueing > Math.max(15, shortest * 0.6)
      foreign = isForeign ? foreign + 1 : 0
      gain = Math.max(LEAST_GAIN, Math.min(GAIN, gain * GAIN_DOWN))
      if (foreign < FOREIGN_QUEUE) return
      foreign = 0
      contest = CONTEST_ROUNDS
      gain = GAIN
    } else {
      foreign = 0
      if (gain < GAIN) gain = Math.min(GAIN, gain * GAIN_UP)
    }
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
      if (now < countFrom) round = undefined
      else if (!round) {
        round = { since: now, total }
        wasBusy = true
      }
      if (!round) return
      const length = roundLength()
      const passed = now - round.since
      if (passed < length) return
      const inOneRound = ((total - round.total) * length) / passed
      adaptGain(total - round.total)
      if (wasBusy || inOneRound * gain > limit) {
        rounds.push(inOneRound)
        if (rounds.length > ROUNDS) rounds.shift()
        limit = Math.min(MOST, Math.max(FEWEST, Math.ceil(gain * Math.max(...rounds))))
      }
      round = { since: now, total }
      wasBusy = true
    },
    lost() {
      lostInRound += 1
    },
    rate() {
      if (rounds.length === 0) return Number.POSITIVE_INFINITY
      return (Math.max(PACE, gain) * Math.max(...rounds)) / roundLength()
    },
    ranDry() {
      wasBusy = false
    },
    wasIdle(idleMs, now) {
      round = undefined
      if (idleMs <= 1000) return
      forget()
      shortestSeenAt = now
    },
    wasSilent(silentMs) {
      if (silentMs > 1000) forget()
    },
    limit(now) {
      if (now < drainUntil) return Math.max(FEWEST / 2, limit / 4)
      if (now - shortestSeenAt > SHORTEST_HOLDS && smoothed !== undefined && limit > FEWEST) {
        // The own queue may have hidden the shortest time: let it run empty for a moment and look again.
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
      return Math.min(MOST_TIME_OUT, Math.max(LEAST_TIME_OUT, Math.ceil(smoothed + slack)))
    },
    roundTrip: () => smoothed,
  }
}
