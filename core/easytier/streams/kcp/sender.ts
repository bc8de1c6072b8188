import { createByteQueue } from './byteQueue'
import { createFlight, slotOf } from './flight'
import { createPathEstimate, FIRST_LIMIT } from './pathEstimate'
import { distance, KCP_WINDOW, MAX_SEGMENT_DATA } from './segments'

/** Takes a segment into the packet that is being filled. */
export type PutPush = (sequence: number, data: Uint8Array) => void

export type Sender = {
  /** Bytes that have not been sent once. */
  readonly queued: number
  /** Segments sent and not acknowledged. */
  readonly outstanding: number
  /** Everything before this sequence number has arrived. */
  readonly oldest: number
  readonly stats: { readonly sent: number; readonly resent: number }
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
  flush(now: number, window: number, put: PutPush): void
  /** When to flush again if nothing else happens; Infinity for never. */
  nextDeadline(): number
  /** Since when nothing has come back though something is under way; undefined when all is well. */
  stuckSince(): number | undefined
}

/** While nothing comes back, so many segments ask whether the path is there again. */
const PROBES = 8
/** Between two sendings of the same segment. */
const LONGEST_WAIT = 1000
/** A segment is lost when so many that were sent later have arrived; more where packets overtake each other. */
const OVERTAKEN = 2
const MOST_OVERTAKEN = 64
/** After so many arrivals one less will do again. */
const CALM = 256
const LEAST_BURST = 32
const BURST_MS = 4

/** The sending half of a conversation. */
export function createSender(): Sender {
  const queue = createByteQueue()
  const flight = createFlight()
  const path = createPathEstimate()
  let oldest = 0
  let next = 0
  let arrived = 0
  let hasNews = false
  let lastNews = 0
  let lastSent = 0
  let overtakenLimit = OVERTAKEN
  let isSilent = false
  /** Segments that may leave at once, and when that was reckoned. */
  let allowance = FIRST_LIMIT
  let allowedAt = 0
  let isPaced = false
  let sent = 0
  let resent = 0

  const outstanding = () => flight.onWay + flight.lost
  const waitOf = (slot: number, timeOut: number) =>
    Math.max(
      timeOut,
      Math.min(LONGEST_WAIT, Math.ceil(timeOut * 1.5 ** Math.min(flight.tries(slot) - 1, 20))),
    )

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
  const passArrived = () => {
    while (oldest !== next && !flight.holds(oldest)) oldest = (oldest + 1) >>> 0
  }

  /** What was sent before this one and is not here yet has been overtaken by it. */
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
    let slot = flight.oldest()
    let found = false
    while (slot !== undefined && now - flight.sentAt(slot) >= timeOut) {
      const behind = flight.after(slot)
      if (now - flight.sentAt(slot) >= waitOf(slot, timeOut)) {
        lose(slot)
        found = true
      }
      slot = behind
    }
    if (found && now - lastNews >= timeOut) isSilent = true
  }

  const noteStart = (now: number) => {
    if (outstanding() > 0 || queue.size === 0) return
    path.wasIdle(now - lastSent, now)
    lastNews = now
  }

  /** Bursts are kept short, so that they do not run over a short queue on the way. */
  const allow = (now: number) => {
    const rate = path.rate()
    if (rate === Number.POSITIVE_INFINITY) allowance = FIRST_LIMIT
    else allowance = Math.min(Math.max(LEAST_BURST, rate * BURST_MS), allowance + rate * (now - allowedAt))
    allowedAt = now
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
    get stats() {
      return { sent, resent }
    },
    roundTrip: path.roundTrip,
    write: queue.add,
    acknowledge(sequence, timestamp, now) {
      if (!flight.holds(sequence)) return
      const slot = slotOf(sequence)
      const roundTrip = (now - timestamp) | 0
      // Any time between the first sending and now can be true; more is a lie.
      if (roundTrip >= 0 && roundTrip <= now - flight.firstSentAt(slot)) path.measured(roundTrip, now)
      if (flight.sentAt(slot) >>> 0 !== timestamp) {
        // An earlier sending has arrived after all: it was overtaken, and not lost.
        if (flight.wasOvertaken(slot)) overtakenLimit = Math.min(MOST_OVERTAKEN, overtakenLimit * 2)
      } else if (!flight.isLost(slot)) overtake(slot)
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
      passArrived()
      if (isSilent) path.wasSilent(now - lastNews)
      isSilent = false
      lastNews = now
      path.delivered(arrived, now)
    },
    flush(now, window, put) {
      noteStart(now)
      findTimedOut(now)
      const limit = isSilent ? PROBES : path.limit(now)
      const open = Math.min(window, KCP_WINDOW)
      allow(now)
      for (let slot = flight.firstLost(); slot !== undefined; slot = flight.firstLost()) {
        if (flight.onWay >= limit || allowance < 1) break
        flight.resend(slot, now)
        resent += 1
        allowance -= 1
        put(flight.sequence(slot), flight.data(slot))
      }
      while (allowance >= 1 && queue.size > 0 && outstanding() < limit && distance(next, oldest) < open) {
        const data = queue.take(MAX_SEGMENT_DATA)
        flight.add(next, data, now)
        put(next, data)
        next = (next + 1) >>> 0
        sent += 1
        lastSent = now
        allowance -= 1
      }
      isPaced = allowance < 1
      if (queue.size === 0 && outstanding() < limit) path.ranDry()
    },
    nextDeadline() {
      const timeOut = path.timeOut()
      let deadline = isPaced ? allowedAt + 1 : Number.POSITIVE_INFINITY
      // Those sent once time out in the order of sending; behind the first of them none comes sooner.
      for (let slot = flight.oldest(); slot !== undefined; slot = flight.after(slot)) {
        deadline = Math.min(deadline, flight.sentAt(slot) + waitOf(slot, timeOut))
        if (flight.tries(slot) === 1) break
      }
      return deadline
    },
    stuckSince: () => (outstanding() > 0 ? lastNews : undefined),
  }
}
