import { createArrived } from './arrived'
import { costOf, type MemoryBudget } from './memoryBudget'
import { distance, KCP_WINDOW } from './segments'

export type PutAck = (sequence: number, timestamp: number) => void

export type KcpReceiver = {
  /** All before this sequence number have arrived. */
  readonly next: number
  /** Segments that may be sent beyond `next`. */
  readonly window: number
  /** Bytes in order that have not been read. */
  readonly readable: number
  /** Whether there is something to acknowledge. */
  readonly hasAcks: boolean
  /** Whether bytes have arrived that cannot be read, because some before them are missing. */
  hasGap(): boolean
  /** Whether so many acknowledgements wait that they should be sent at once. */
  readonly isUrgent: boolean
  /** The data is read, not kept. */
  push(sequence: number, timestamp: number, data: Uint8Array): void
  /**
   * Hands out the acknowledgements that are due: `next` covers all segments in order, so one ack stands for all of them;
   * each segment beyond a gap needs its own.
   */
  takeAcks(put: PutAck): void
  /** The next bytes in order, several segments joined; undefined when there are none. */
  read(): Uint8Array | undefined
  /** Drops what has arrived and what will arrive; it is acknowledged as if it had been read. */
  discard(): void
}

/** The other side may repeat a segment as often as it likes. */
const MAX_ACKS = 512
const URGENT_ACKS = 32
/** Segments in order that each conversation may hold when all together hold too much. */
const RESERVED = 32

/** The timestamp is that of the segment, as its sender reads it. */
type Ack = { readonly sequence: number; readonly timestamp: number }

/** The receiving half of a conversation. Segments that do not fit the window or the budget are dropped, as if they were lost. */
export function createReceiver(budget: MemoryBudget): KcpReceiver {
  /** By sequence number, beyond `next`. */
  let early: (Uint8Array | undefined)[] | undefined
  let next = 0
  const arrived = createArrived()
  let isDiscarding = false

  let acks: Ack[] = []
  let coveredCount = 0
  let coveredSequence = 0
  let coveredTimestamp = 0

  const window = () => Math.max(0, (budget.isSpent() ? RESERVED : KCP_WINDOW) - arrived.count)

  const moveInOrder = () => {
    while (early && arrived.count < KCP_WINDOW) {
      const data = early[next & (KCP_WINDOW - 1)]
      if (!data) return
      early[next & (KCP_WINDOW - 1)] = undefined
      append(data)
    }
  }
  const append = (data: Uint8Array) => {
    next = (next + 1) >>> 0
    if (data.length === 0 || isDiscarding) budget.release(costOf(1, data.length))
    else arrived.add(data)
  }
  const store = (sequence: number, data: Uint8Array): boolean => {
    // A few in order are taken all the same: a peer that spends the budget must not stop the streams of others.
    if (budget.isSpent() && (sequence !== next || arrived.count >= RESERVED)) return false
    if (sequence === next && arrived.count < KCP_WINDOW) {
      budget.take(costOf(1, data.length))
      append(data)
      moveInOrder()
      return true
    }
    early ??= new Array<Uint8Array | undefined>(KCP_WINDOW).fill(undefined)
    const slot = sequence & (KCP_WINDOW - 1)
    if (early[slot]) return true
    budget.take(costOf(1, data.length))
    // A copy: the segment is a part of a larger buffer.
    early[slot] = data.slice()
    return true
  }

  return {
    get next() {
      return next
    },
    get window() {
      return window()
    },
    get readable() {
      return arrived.size
    },
    get hasAcks() {
      return coveredCount > 0 || acks.length > 0
    },
    hasGap: () => early?.some((piece) => piece !== undefined) ?? false,
    get isUrgent() {
      return coveredCount + acks.length >= URGENT_ACKS
    },
    push(sequence, timestamp, data) {
      const ahead = distance(sequence, next)
      if (ahead >= KCP_WINDOW) return
      if (ahead >= 0 && !store(sequence, data)) return
      if (distance(sequence, next) < 0) {
        coveredCount += 1
        coveredSequence = sequence
        coveredTimestamp = timestamp
      } else if (acks.length < MAX_ACKS) acks.push({ sequence, timestamp })
    },
    takeAcks(put) {
      for (const { sequence, timestamp } of acks) {
        if (distance(sequence, next) >= 0) put(sequence, timestamp)
      }
      // `next` covers those beyond a gap that has closed since, too.
      if (coveredCount > 0) put(coveredSequence, coveredTimestamp)
      if (acks.length > 0) acks = []
      coveredCount = 0
    },
    read() {
      const read = arrived.read()
      if (!read) return undefined
      budget.release(costOf(read.count, read.bytes.length))
      moveInOrder()
      return read.bytes
    },
    discard() {
      isDiscarding = true
      budget.release(costOf(arrived.count, arrived.size))
      for (const piece of early ?? []) if (piece) budget.release(costOf(1, piece.length))
      arrived.clear()
      early = undefined
    },
  }
}
