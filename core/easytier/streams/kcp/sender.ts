import { ByteQueue } from '@lantern-room/base/bytes'
import { Flight, type Segment } from './flight'
import { LEAST_SEGMENT_DATA, type PacketSize } from './packetSize'
import { Pacer, PathEstimate } from './pathEstimate'
import { loseTimedOut, nextTimeout } from './resendTimeout'
import { distance, KCP_WINDOW } from './segments'

/**
 * Puts a segment into the packet that is being filled.
 * @param partSize of the parts that it is to be sent in, in bytes; undefined to send it whole
 */
type PutSegment = (sequence: number, data: Uint8Array, partSize?: number) => void

/** While nothing is acknowledged, so many segments probe whether the path works again. */
const PROBES = 8
/** A segment is lost when so many that were sent later have arrived; more where packets overtake each other. */
const OVERTAKEN = 2
const MAX_OVERTAKEN = 64
/** A large segment that was lost so often, while no other large one arrived, may be too large for the path. */
const TOO_LARGE_TRIES = 2
/** One that is larger than what the path carries is sent whole this often: other programs do not join parts. */
const WHOLE_EVERY = 4
/** After so many arrivals the number falls by one again. */
const CALM = 256

export class KcpSender {
  readonly #size: PacketSize
  readonly #queue = new ByteQueue()
  readonly #path = new PathEstimate()
  readonly #pacer = new Pacer()
  #flight = new Flight()
  #oldest = 0
  #next = 0
  #arrived = 0
  #hasNews = false
  #hasLargeNews = false
  #lastNews = 0
  /** When a segment last arrived that does not fit the smallest packets. */
  #lastLargeNews = Number.NEGATIVE_INFINITY
  #lastSent = 0
  #overtakenLimit = OVERTAKEN
  #isSilent = false
  /** Was last sent in parts, though the path is believed to carry it: if these arrive, it does not. */
  #tested: Segment | undefined

  constructor(size: PacketSize) {
    this.#size = size
  }

  /** Bytes that have not been sent once. */
  get queued(): number {
    return this.#queue.size
  }

  /** Segments sent and not acknowledged. */
  get outstanding(): number {
    return this.#flight.onWay + this.#flight.lost
  }

  /** Everything before this sequence number has arrived. */
  get oldest(): number {
    return this.#oldest
  }

  /** The bytes must not change afterwards. */
  write(bytes: Uint8Array): void {
    this.#queue.append(bytes)
  }

  /** The other side acknowledges as we do. */
  hasPromptPeer(): void {
    this.#path.hasPromptPeer(this.#size.carrier)
  }

  /** One segment has arrived. @param timestamp of its sending, as the other side repeats it */
  acknowledge(sequence: number, timestamp: number, now: number): void {
    const segment = this.#flight.get(sequence)
    if (!segment) return
    const roundTrip = (now - timestamp) | 0
    // Any time between the first sending and now is possible; a longer one is forged.
    if (roundTrip >= 0 && roundTrip <= now - segment.firstSentAt) this.#path.measured(roundTrip, now)
    this.#noteOrder(segment, timestamp)
    if (segment === this.#tested && segment.sentAt >>> 0 === timestamp) this.#size.doubt(now)
    this.#arrive(segment)
  }

  /** All segments before this one have arrived. @returns false for a claim about what was never sent */
  acknowledgeBefore(sequence: number): boolean {
    if (distance(sequence, this.#oldest) <= 0) return true
    if (distance(sequence, this.#next) > 0) return false
    for (; this.#oldest !== sequence; this.#oldest = (this.#oldest + 1) >>> 0) {
      const segment = this.#flight.get(this.#oldest)
      if (segment) this.#arrive(segment)
    }
    return true
  }

  /** To be called once after the acknowledgements of a packet. */
  afterInput(now: number): void {
    if (!this.#hasNews) return
    this.#hasNews = false
    if (this.#hasLargeNews) this.#lastLargeNews = now
    this.#hasLargeNews = false
    while (this.#oldest !== this.#next && !this.#flight.get(this.#oldest)) {
      this.#oldest = (this.#oldest + 1) >>> 0
    }
    if (this.#isSilent) this.#path.wasSilent(now - this.#lastNews)
    this.#isSilent = false
    this.#lastNews = now
    this.#path.delivered(this.#arrived, now)
  }

  /** @param window segments beyond the oldest that the other side takes */
  flush(now: number, window: number, put: PutSegment): void {
    this.#noteStart(now)
    this.#findTimedOut(now)
    const limit = this.#isSilent ? PROBES : this.#path.limit(now)
    this.#pacer.refill(now, this.#path.rate())
    this.#resendLost(now, limit, put)
    this.#sendNew(now, limit, Math.min(window, KCP_WINDOW), put)
    if (this.queued === 0 && this.outstanding < limit) this.#path.ranDry()
  }

  /** Forgets what was written; to be called when nothing more is sent. */
  discard(): void {
    this.#queue.clear()
    this.#flight = new Flight()
  }

  /** When to flush again if nothing else happens; Infinity for never. */
  nextDeadline(): number {
    return Math.min(this.#pacer.nextDeadline(), nextTimeout(this.#flight, this.#path.time.timeOut()))
  }

  /** Since when nothing was acknowledged though something is outstanding; undefined otherwise. */
  stuckSince(): number | undefined {
    return this.outstanding > 0 ? this.#lastNews : undefined
  }

  #arrive(segment: Segment): void {
    this.#flight.remove(segment)
    this.#arrived += 1
    if (this.#arrived % CALM === 0 && this.#overtakenLimit > OVERTAKEN) this.#overtakenLimit -= 1
    this.#hasNews = true
    this.#hasLargeNews ||= segment.data.length > LEAST_SEGMENT_DATA
  }

  /** Learns from an acknowledged segment which others it has overtaken, and how far packets overtake each other. */
  #noteOrder(segment: Segment, timestamp: number): void {
    const isOfLastSending = segment.sentAt >>> 0 === timestamp
    if (isOfLastSending && !segment.isLost) this.#overtake(segment)
    else if (!segment.wasOvertaken) this.#path.time.timedOutTooSoon()
    // An earlier sending has arrived after all: it was overtaken, and not lost.
    else if (!isOfLastSending) this.#overtakenLimit = Math.min(MAX_OVERTAKEN, this.#overtakenLimit * 2)
  }

  /** Segments that were sent before this one and have not arrived have been overtaken by it. */
  #overtake(segment: Segment): void {
    let earlier = this.#flight.oldest()
    while (earlier && earlier !== segment) {
      const { next } = earlier
      earlier.overtaken += 1
      if (earlier.overtaken >= this.#overtakenLimit) {
        this.#flight.markLost(earlier, true)
        this.#path.gain.lost()
      }
      earlier = next
    }
  }

  #findTimedOut(now: number): void {
    const timeOut = this.#path.time.timeOut()
    const hasLost = loseTimedOut(this.#flight, now, timeOut)
    if (hasLost && now - this.#lastNews >= timeOut) this.#isSilent = true
  }

  #noteStart(now: number): void {
    if (this.outstanding > 0 || this.queued === 0) return
    this.#path.wasIdle(now - this.#lastSent, now)
    this.#lastNews = now
  }

  #resendLost(now: number, limit: number, put: PutSegment): void {
    const flight = this.#flight
    for (let segment = flight.firstLost(); segment; segment = flight.firstLost()) {
      if (flight.onWay >= limit || !this.#pacer.take()) return
      const isSuspect = this.#isSuspect(segment)
      flight.resend(segment, now)
      put(segment.sequence, segment.data, this.#partSize(segment, isSuspect))
    }
  }

  #sendNew(now: number, limit: number, window: number, put: PutSegment): void {
    while (this.queued > 0 && this.outstanding < limit && this.#isWithin(window) && this.#pacer.take()) {
      const data = this.#queue.take(this.#size.segmentData)
      this.#flight.add(this.#next, data, now)
      put(this.#next, data)
      this.#next = (this.#next + 1) >>> 0
      this.#lastSent = now
    }
  }

  #isSuspect({ sequence, data, tries, sentAt }: Segment): boolean {
    if (sequence !== this.#oldest || data.length <= LEAST_SEGMENT_DATA) return false
    return tries >= TOO_LARGE_TRIES && this.#lastLargeNews < sentAt
  }

  /** Every other time a suspect is sent whole, since the path may have carried nothing at all, or the other side joins no parts. */
  #partSize(segment: Segment, isSuspect: boolean): number | undefined {
    const { data, tries } = segment
    const { segmentData } = this.#size
    if (data.length > segmentData) return tries % WHOLE_EVERY === 0 ? undefined : segmentData
    const isTest = isSuspect && tries % 2 === 1
    if (isTest) this.#tested = segment
    else if (this.#tested === segment) this.#tested = undefined
    return isTest ? LEAST_SEGMENT_DATA : undefined
  }

  #isWithin(window: number): boolean {
    return distance(this.#next, this.#oldest) < window
  }
}
