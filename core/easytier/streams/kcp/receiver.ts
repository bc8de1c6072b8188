import { createByteBuffer } from '@lantern-room/base/bytes'
import { costOf, type MemoryBudget } from './memoryBudget'
import { distance, KCP_WINDOW } from './segments'

export type PutAck = (sequence: number, timestamp: number) => void

/** The other side may repeat a segment as often as it likes. */
const MAX_ACKS = 512
const URGENT_ACKS = 32
/** Segments in order that each conversation may hold when all together hold too much. */
const RESERVED = 32
/** Bytes: few large reads cost the reader less than many small ones. */
const MAX_READ = 64 * 1024

/** The timestamp is that of the segment, as its sender reads it. */
type Ack = { readonly sequence: number; readonly timestamp: number }

/** The receiving half of a conversation. Segments that do not fit the window or the budget are dropped, as if they were lost. */
export class KcpReceiver {
  readonly #budget: MemoryBudget
  /** In order, and not read. */
  readonly #arrived = createByteBuffer()
  /** Segments of which that is. */
  #arrivedCount = 0
  /** By sequence number, beyond `next`. */
  #early: (Uint8Array | undefined)[] | undefined
  #next = 0
  #isDiscarding = false
  #acks: Ack[] = []
  #coveredCount = 0
  #coveredSequence = 0
  #coveredTimestamp = 0

  constructor(budget: MemoryBudget) {
    this.#budget = budget
  }

  /** All before this sequence number have arrived. */
  get next(): number {
    return this.#next
  }

  /** Segments that may be sent beyond `next`. */
  get window(): number {
    return Math.max(0, (this.#budget.isSpent() ? RESERVED : KCP_WINDOW) - this.#arrivedCount)
  }

  /** Bytes in order that have not been read. */
  get readable(): number {
    return this.#arrived.size()
  }

  get hasAcks(): boolean {
    return this.#coveredCount > 0 || this.#acks.length > 0
  }

  /** Whether so many acknowledgements wait that they should be sent at once. */
  get isUrgent(): boolean {
    return this.#coveredCount + this.#acks.length >= URGENT_ACKS
  }

  /** Whether bytes have arrived that cannot be read, because some before them are missing. */
  hasGap(): boolean {
    return this.#early?.some((piece) => piece !== undefined) ?? false
  }

  /** The data is read, not kept. */
  push(sequence: number, timestamp: number, data: Uint8Array): void {
    const ahead = distance(sequence, this.#next)
    if (ahead >= KCP_WINDOW) return
    if (ahead >= 0 && !this.#store(sequence, data)) return
    if (distance(sequence, this.#next) < 0) {
      this.#coveredCount += 1
      this.#coveredSequence = sequence
      this.#coveredTimestamp = timestamp
    } else if (this.#acks.length < MAX_ACKS) this.#acks.push({ sequence, timestamp })
  }

  /**
   * Hands out the acknowledgements that are due: `next` covers all segments in order, so one ack stands for all of them;
   * each segment beyond a gap needs its own.
   */
  takeAcks(put: PutAck): void {
    for (const { sequence, timestamp } of this.#acks) {
      if (distance(sequence, this.#next) >= 0) put(sequence, timestamp)
    }
    // `next` covers those beyond a gap that has closed since, too.
    if (this.#coveredCount > 0) put(this.#coveredSequence, this.#coveredTimestamp)
    if (this.#acks.length > 0) this.#acks = []
    this.#coveredCount = 0
  }

  /** The next bytes in order, several segments joined; undefined when there are none. */
  read(): Uint8Array | undefined {
    if (this.readable === 0) return undefined
    const bytes = this.#takeArrived(MAX_READ)
    this.#moveInOrder()
    return bytes
  }

  /** Drops what has arrived and what will arrive; it is acknowledged as if it had been read. */
  discard(): void {
    this.#isDiscarding = true
    for (const piece of this.#early ?? []) if (piece) this.#budget.release(costOf(1, piece.length))
    if (this.readable > 0) this.#takeArrived(this.readable)
    this.#early = undefined
  }

  /** Counts so many of the segments as read as their part of the bytes is. */
  #takeArrived(most: number): Uint8Array {
    const bytes = this.#arrived.view().subarray(0, most)
    const count = Math.ceil((this.#arrivedCount * bytes.length) / this.readable)
    this.#arrived.drop(bytes.length)
    this.#arrivedCount -= count
    this.#budget.release(costOf(count, bytes.length))
    return bytes
  }

  /** @returns false when there is no room for it */
  #store(sequence: number, data: Uint8Array): boolean {
    const budget = this.#budget
    const isNext = sequence === this.#next
    // A few in order are taken all the same: a peer that spends the budget must not stop the streams of others.
    if (budget.isSpent() && (!isNext || this.#arrivedCount >= RESERVED)) return false
    if (isNext && this.#arrivedCount < KCP_WINDOW) {
      budget.take(costOf(1, data.length))
      this.#append(data)
      this.#moveInOrder()
      return true
    }
    this.#early ??= new Array<Uint8Array | undefined>(KCP_WINDOW).fill(undefined)
    const slot = sequence & (KCP_WINDOW - 1)
    if (this.#early[slot]) return true
    budget.take(costOf(1, data.length))
    // A copy: the segment is a part of a larger buffer.
    this.#early[slot] = data.slice()
    return true
  }

  #append(data: Uint8Array): void {
    this.#next = (this.#next + 1) >>> 0
    if (data.length === 0 || this.#isDiscarding) {
      this.#budget.release(costOf(1, data.length))
      return
    }
    // The buffer may keep its first piece, which is a part of something larger.
    this.#arrived.append(this.#arrivedCount === 0 ? data.slice() : data)
    this.#arrivedCount += 1
  }

  #moveInOrder(): void {
    const early = this.#early
    while (early && this.#arrivedCount < KCP_WINDOW) {
      const slot = this.#next & (KCP_WINDOW - 1)
      const data = early[slot]
      if (!data) return
      early[slot] = undefined
      this.#append(data)
    }
  }
}
