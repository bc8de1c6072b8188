import { createByteQueue } from './byteQueue'
import { createFlight, slotOf } from './flight'
import { createPacer } from './pacer'
import { createPathEstimate } from './pathEstimate'
import { loseTimedOut, nextTimeout } from './resendTimeout'
import { distance, KCP_WINDOW, MAX_SEGMENT_DATA } from './segments'

export type KcpSender = {
  /** Bytes that have not been sent once. */
  readonly queued: number
  /** Segments sent and not acknowledged. */
  readonly outstanding: number
  /** Everything before this sequence number has arrived. */
  readonly oldest: number
  /** Smoothed, in milliseconds; undefined before the first one. */
  roundTrip(): number | undefined
  /** The bytes must not change afterwards. */
  write(bytes: Uint8Array): void
  /** One segment has arrived. @param timestamp of its sending, as the other side repeats it */
  acknowledge(sequence: number, timestamp: number, now: number): void
  /** All segments before this one have arrived. @returns false for a claim about what was never sent */
  acknowledgeBefore(sequence: number): boolean
  /** To be called once after the acknowledgements of a packet. */
  afterInput(now: number): void
  /** @param window segments beyond the oldest that the other side takes */
  flush(now: number, window: number, put: PutSegment): void
  /** Forgets what was written; to be called when nothing more is sent. */
  discard(): void
  /** When to flush again if nothing else happens; Infinity for never. */
  nextDeadline(): number
  /** Since when nothing was acknowledged though something is outstanding; undefined otherwise. */
  stuckSince(): number | undefined
}

/** Puts a segment into the packet that is being filled. */
type PutSegment = (sequence: number, data: Uint8Array) => void

/** While nothing is acknowledged, so many segments probe whether the path works again. */
const PROBES = 8
/** A segment is lost when so many that were sent later have arrived; more where packets overtake each other. */
const OVERTAKEN = 2
const MAX_OVERTAKEN = 64
/** After so many arrivals the number falls by one again. */
const CALM = 256

/** Of conversations in which nothing is sent: its tables take 40 KB, and members open thousands of streams. Nothing is added to it. */
const NO_FLIGHT = createFlight()

/** The sending half of a conversation. */
export function createSender(): KcpSender {
  const queue = createByteQueue()
  let flight = NO_FLIGHT
  const path = createPathEstimate()
  const pacer = createPacer()
  let oldest = 0
  let next = 0
  let arrived = 0
  let hasNews = false
  let lastNews = 0
  let lastSent = 0
  let overtakenLimit = OVERTAKEN
  let isSilent = false

  const outstanding = () => flight.onWay + flight.lost
  const arrive = (slot: number) => {
    flight.remove(slot)
    arrived += 1
    if (arrived % CALM === 0 && overtakenLimit > OVERTAKEN) overtakenLimit -= 1
    hasNews = true
  }
  const lose = (slot: number) => {
    flight.markLost(slot)
    path.lost()
  }
  /** Segments that were sent before this one and have not arrived have been overtaken by it. */
  const overtake = (slot: number) => {
    let earlier = flight.oldest()
    while (earlier !== undefined && earlier !== slot) {
      const behind = flight.after(earlier)
      if (flight.overtake(earlier) >= overtakenLimit) {
        flight.noteOvertaken(earlier)
        lose(earlier)
      }
      earlier = behind
    }
  }

  const findTimedOut = (now: number) => {
    const timeOut = path.timeOut()
    if (loseTimedOut(flight, now, timeOut, lose) && now - lastNews >= timeOut) isSilent = true
  }

  const noteStart = (now: number) => {
    if (outstanding() > 0 || queue.size === 0) return
    path.wasIdle(now - lastSent, now)
    lastNews = now
  }

  const resendLost = (now: number, limit: number, put: PutSegment) => {
    for (let slot = flight.firstLost(); slot !== undefined; slot = flight.firstLost()) {
      if (flight.onWay >= limit || !pacer.take()) return
      flight.resend(slot, now)
      put(flight.sequence(slot), flight.data(slot))
    }
  }
  const sendNew = (now: number, limit: number, window: number, put: PutSegment) => {
    if (queue.size > 0 && flight === NO_FLIGHT) flight = createFlight()
    while (queue.size > 0 && outstanding() < limit && distance(next, oldest) < window && pacer.take()) {
      const data = queue.take(MAX_SEGMENT_DATA)
      flight.add(next, data, now)
      put(next, data)
      next = (next + 1) >>> 0
      lastSent = now
    }
  }
  /** Learns from an acknowledged segment which others it has overtaken, and how far packets overtake each other. */
  const noteOrder = (slot: number, timestamp: number) => {
    if (flight.sentAt(slot) >>> 0 === timestamp) {
      if (!flight.isLost(slot)) overtake(slot)
    } else if (flight.wasOvertaken(slot)) {
      // An earlier sending has arrived after all: it was overtaken, and not lost.
      overtakenLimit = Math.min(MAX_OVERTAKEN, overtakenLimit * 2)
    }
  }

  return {
    get queued() {
      return queue.size
    },
    get outstanding() {
      return outstanding()
    },
    get oldest() {
      return oldest
    },
    roundTrip: path.roundTrip,
    write: queue.add,
    acknowledge(sequence, timestamp, now) {
      if (!flight.holds(sequence)) return
      const slot = slotOf(sequence)
      const roundTrip = (now - timestamp) | 0
      // Any time between the first sending and now is possible; a longer one is forged.
      if (roundTrip >= 0 && roundTrip <= now - flight.firstSentAt(slot)) path.measured(roundTrip, now)
      noteOrder(slot, timestamp)
      arrive(slot)
    },
    acknowledgeBefore(sequence) {
      if (distance(sequence, oldest) <= 0) return true
      if (distance(sequence, next) > 0) return false
      for (; oldest !== sequence; oldest = (oldest + 1) >>> 0) {
        if (flight.holds(oldest)) arrive(slotOf(oldest))
      }
      return true
    },
    afterInput(now) {
      if (!hasNews) return
      hasNews = false
      while (oldest !== next && !flight.holds(oldest)) oldest = (oldest + 1) >>> 0
      if (isSilent) path.wasSilent(now - lastNews)
      isSilent = false
      lastNews = now
      path.delivered(arrived, now)
    },
    flush(now, window, put) {
      noteStart(now)
      findTimedOut(now)
      const limit = isSilent ? PROBES : path.limit(now)
      pacer.refill(now, path.rate())
      resendLost(now, limit, put)
      sendNew(now, limit, Math.min(window, KCP_WINDOW), put)
      if (queue.size === 0 && outstanding() < limit) path.ranDry()
    },
    discard() {
      queue.clear()
      flight = NO_FLIGHT
    },
    nextDeadline: () => Math.min(pacer.nextDeadline(), nextTimeout(flight, path.timeOut())),
    stuckSince: () => (outstanding() > 0 ? lastNews : undefined),
  }
}
