import { type MemoryBudget, pieceCost } from './memoryBudget'
import { distance, KCP_WINDOW } from './segments'

export type PutAck = (sequence: number, timestamp: number) => void

export type Receiver = {
  /** All before this sequence number have arrived. */
  readonly next: number
  /** Segments that may be sent beyond `next`. */
  readonly window: number
  /** Bytes in order that have not been read. */
  readonly readable: number
  /** Whether there is something to acknowledge. */
  readonly hasAcks: boolean
  /** Whether something came that cannot be read, since what belongs before it is missing. */
  hasGap(): boolean
  /** Whether so many wait that the other side should hear of it. */
  readonly isUrgent: boolean
  push(sequence: number, timestamp: number, data: Uint8Array): void
  /**
   * What is to be said: all in order is covered by `next`, so that one ack stands for all of them, and each one
   * beyond a gap needs its own.
   */
  takeAcks(put: PutAck): void
  /** The next bytes in order, several segments joined; undefined when there are none. */
  read(): Uint8Array | undefined
  /** Forgets what has arrived and what will: acknowledged as if it was read. */
  discard(): void
}

/** Joined by one `read`: few large pieces cost less than many small ones further on. */
const MOST_READ = 64 * 1024
/** A liar may repeat a segment as often as it likes. */
const MOST_ACKS = 512
const MANY = 32

/** The receiving half of a conversation. What does not fit the window or the budget is dropped, as if it was lost. */
export function createReceiver(budget: MemoryBudget): Receiver {
  /** By sequence number, beyond `next`. */
  let early: (Uint8Array | undefined)[] | undefined
  let next = 0
  let inOrder: Uint8Array[] = []
  let first = 0
  let readable = 0
  let isDiscarding = false

  let acks: number[] = []
  let coveredCount = 0
  let coveredSequence = 0
  let coveredTimestamp = 0

  const waiting = () => inOrder.length - first
  const window = () => (budget.isSpent() ? 0 : Math.max(0, KCP_WINDOW - waiting()))

  const moveInOrder = () => {
    while (early && waiting() < KCP_WINDOW) {
      const data = early[next & (KCP_WINDOW - 1)]
      if (!data) return
      early[next & (KCP_WINDOW - 1)] = undefined
      append(data)
    }
  }
  const append = (data: Uint8Array) => {
    next = (next + 1) >>> 0
    if (data.length === 0 || isDiscarding) return budget.release(pieceCost(data))
    inOrder.push(data)
    readable += data.length
  }
  const store = (sequence: number, data: Uint8Array): boolean => {
    // The next one in order is taken all the same when nothing else waits: else nothing would ever move again.
    if (budget.isSpent() && (sequence !== next || waiting() > 0)) return false
    if (sequence === next && waiting() < KCP_WINDOW) {
      budget.take(pieceCost(data))
      append(data)
      moveInOrder()
      return true
    }
    early ??= new Array<Uint8Array | undefined>(KCP_WINDOW).fill(undefined)
    const slot = sequence & (KCP_WINDOW - 1)
    if (early[slot]) return true
    budget.take(pieceCost(data))
    early[slot] = data
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
      return readable
    },
    get hasAcks() {
      return coveredCount > 0 || acks.length > 0
    },
    hasGap: () => early?.some((piece) => piece !== undefined) ?? false,
    get isUrgent() {
      return coveredCount + acks.length / 2 >= MANY
    },
    push(sequence, timestamp, data) {
      const ahead = distance(sequence, next)
      if (ahead >= KCP_WINDOW) return
      if (ahead >= 0 && !store(sequence, ownBytes(data))) return
      if (distance(sequence, next) < 0) {
        coveredCount += 1
        coveredSequence = sequence
        coveredTimestamp = timestamp
      } else if (acks.length < 2 * MOST_ACKS) acks.push(sequence, timestamp)
    },
    takeAcks(put) {
      for (let i = 0; i + 1 < acks.length; i += 2) {
        const sequence = acks[i] ?? 0
        if (distance(sequence, next) >= 0) put(sequence, acks[i + 1] ?? 0)
      }
      // Those beyond a gap that has closed since are covered, too.
      if (coveredCount > 0) put(coveredSequence, coveredTimestamp)
      if (acks.length > 0) acks = []
      coveredCount = 0
    },
    read() {
      if (readable === 0) return undefined
      const start = first
      let size = 0
      for (
        let piece = inOrder[first];
        piece && (size === 0 || size + piece.length <= MOST_READ);
        piece = inOrder[first]
      ) {
        size += piece.length
        first += 1
        budget.release(pieceCost(piece))
      }
      const pieces = inOrder.slice(start, first)
      readable -= size
      if (first === inOrder.length || first >= KCP_WINDOW) {
        inOrder = inOrder.slice(first)
        first = 0
      }
      moveInOrder()
      return joined(pieces, size)
    },
    discard() {
      isDiscarding = true
      for (const piece of inOrder.slice(first)) budget.release(pieceCost(piece))
      for (const piece of early ?? []) if (piece) budget.release(pieceCost(piece))
      inOrder = []
      first = 0
      readable = 0
      early = undefined
    },
  }
}

/** A small piece must not keep the large packet alive in which it came. */
function ownBytes(data: Uint8Array): Uint8Array {
  return data.length * 2 < data.buffer.byteLength ? data.slice() : data
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const bytes = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}
