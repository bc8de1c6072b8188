import { KCP_WINDOW } from './segments'

/** A segment that was sent and is not acknowledged. Times are in whole milliseconds. */
export type Segment = {
  readonly sequence: number
  readonly data: Uint8Array
  readonly firstSentAt: number
  sentAt: number
  tries: number
  /** How many segments that were sent later have arrived since its last sending. */
  overtaken: number
  /** Whether it was sent again because others had overtaken it. */
  wasOvertaken: boolean
  isLost: boolean
  /** Its neighbours among those on their way, or among the lost ones. */
  previous: Segment | undefined
  next: Segment | undefined
}

/**
 * Segments that were sent and are not acknowledged: those believed on their way, in the order of their last sending, and those
 * believed lost. All takes constant time.
 */
export class Flight {
  /** By sequence number: no two of them are a window apart. */
  readonly #ring: (Segment | undefined)[] = []
  readonly #onWay = new Chain()
  readonly #lost = new Chain()

  /** Believed on their way. */
  get onWay(): number {
    return this.#onWay.size
  }

  /** Believed lost, waiting to be sent again. */
  get lost(): number {
    return this.#lost.size
  }

  get(sequence: number): Segment | undefined {
    const segment = this.#ring[placeOf(sequence)]
    return segment?.sequence === sequence ? segment : undefined
  }

  add(sequence: number, data: Uint8Array, now: number): void {
    const segment: Segment = {
      sequence,
      data,
      firstSentAt: now,
      sentAt: now,
      tries: 1,
      overtaken: 0,
      wasOvertaken: false,
      isLost: false,
      previous: undefined,
      next: undefined,
    }
    this.#ring[placeOf(sequence)] = segment
    this.#onWay.append(segment)
  }

  /** It has arrived. */
  remove(segment: Segment): void {
    this.#ring[placeOf(segment.sequence)] = undefined
    this.#chainOf(segment).remove(segment)
  }

  /** @param isOvertaken by segments that were sent later, and not timed out */
  markLost(segment: Segment, isOvertaken: boolean): void {
    this.#onWay.remove(segment)
    segment.isLost = true
    segment.wasOvertaken ||= isOvertaken
    this.#lost.append(segment)
  }

  /** To be called when a lost one is sent again: it becomes the last on its way. */
  resend(segment: Segment, now: number): void {
    this.#lost.remove(segment)
    segment.isLost = false
    segment.sentAt = now
    segment.tries += 1
    segment.overtaken = 0
    this.#onWay.append(segment)
  }

  /** The one sent longest ago; undefined when none is on its way. Its `next` was sent after it. */
  oldest(): Segment | undefined {
    return this.#onWay.first
  }

  firstLost(): Segment | undefined {
    return this.#lost.first
  }

  #chainOf({ isLost }: Segment): Chain {
    return isLost ? this.#lost : this.#onWay
  }
}

function placeOf(sequence: number): number {
  return sequence & (KCP_WINDOW - 1)
}

/** Segments in the order in which they were added. */
class Chain {
  first: Segment | undefined
  size = 0
  #last: Segment | undefined

  append(segment: Segment): void {
    segment.previous = this.#last
    segment.next = undefined
    if (this.#last) this.#last.next = segment
    else this.first = segment
    this.#last = segment
    this.size += 1
  }

  remove({ previous, next }: Segment): void {
    if (previous) previous.next = next
    else this.first = next
    if (next) next.previous = previous
    else this.#last = previous
    this.size -= 1
  }
}
