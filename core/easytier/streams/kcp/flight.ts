import { KCP_WINDOW } from './segments'

/**
 * Segments that were sent and are not acknowledged, in a ring by sequence number, with two chains through it: those
 * believed on their way, in the order of their last sending, and those believed lost. All operations take constant time.
 */
export type Flight = {
  /** Believed on their way. */
  readonly onWay: number
  /** Believed lost, waiting to be sent again. */
  readonly lost: number
  holds(sequence: number): boolean
  add(sequence: number, data: Uint8Array, now: number): void
  /** It has arrived. */
  remove(slot: number): void
  markLost(slot: number): void
  /** To be called when the first lost one is sent again: it becomes the last on its way. */
  resend(slot: number, now: number): void
  /** The one sent longest ago; undefined when none is on its way. */
  oldest(): number | undefined
  /** The one sent after this one. */
  after(slot: number): number | undefined
  firstLost(): number | undefined
  data(slot: number): Uint8Array
  sequence(slot: number): number
  isLost(slot: number): boolean
  /** Time of the last sending, in whole milliseconds. */
  sentAt(slot: number): number
  firstSentAt(slot: number): number
  /** How often it was sent. */
  tries(slot: number): number
  /** Whether it was sent again because others had overtaken it. */
  wasOvertaken(slot: number): boolean
  noteOvertaken(slot: number): void
  /** Counts that a segment sent later has arrived. @returns how many have */
  overtake(slot: number): number
}

export const slotOf = (sequence: number): number => sequence & (KCP_WINDOW - 1)

const FREE = 0
const ON_WAY = 1
const LOST = 2
/** Where the chains begin and end. */
const WAY_END = KCP_WINDOW
const LOST_END = KCP_WINDOW + 1

export function createFlight(): Flight {
  const bytes: (Uint8Array | undefined)[] = new Array(KCP_WINDOW).fill(undefined)
  const sequences = new Uint32Array(KCP_WINDOW)
  const sentAt = new Float64Array(KCP_WINDOW)
  const firstSentAt = new Float64Array(KCP_WINDOW)
  const tries = new Uint16Array(KCP_WINDOW)
  const overtaken = new Uint16Array(KCP_WINDOW)
  const hasBeenOvertaken = new Uint8Array(KCP_WINDOW)
  const states = new Uint8Array(KCP_WINDOW)
  const previous = new Uint16Array(KCP_WINDOW + 2)
  const next = new Uint16Array(KCP_WINDOW + 2)
  for (const end of [WAY_END, LOST_END]) {
    previous[end] = end
    next[end] = end
  }
  let onWay = 0
  let lost = 0

  const unlink = (slot: number) => {
    const [before, behind] = [at(previous, slot), at(next, slot)]
    next[before] = behind
    previous[behind] = before
    if (states[slot] === ON_WAY) onWay -= 1
    else lost -= 1
  }
  const append = (slot: number, end: number) => {
    const last = at(previous, end)
    next[last] = slot
    previous[slot] = last
    next[slot] = end
    previous[end] = slot
  }
  const launch = (slot: number, now: number) => {
    states[slot] = ON_WAY
    sentAt[slot] = now
    overtaken[slot] = 0
    onWay += 1
    append(slot, WAY_END)
  }
  const slotBehind = (slot: number, end: number) => {
    const behind = at(next, slot)
    return behind === end ? undefined : behind
  }

  return {
    get onWay() {
      return onWay
    },
    get lost() {
      return lost
    },
    holds(sequence) {
      const slot = slotOf(sequence)
      return states[slot] !== FREE && sequences[slot] === sequence
    },
    add(sequence, data, now) {
      const slot = slotOf(sequence)
      bytes[slot] = data
      sequences[slot] = sequence
      tries[slot] = 1
      hasBeenOvertaken[slot] = 0
      firstSentAt[slot] = now
      launch(slot, now)
    },
    remove(slot) {
      unlink(slot)
      states[slot] = FREE
      bytes[slot] = undefined
    },
    markLost(slot) {
      unlink(slot)
      states[slot] = LOST
      lost += 1
      append(slot, LOST_END)
    },
    resend(slot, now) {
      unlink(slot)
      tries[slot] = Math.min(at(tries, slot) + 1, 1000)
      launch(slot, now)
    },
    oldest: () => slotBehind(WAY_END, WAY_END),
    after: (slot) => slotBehind(slot, WAY_END),
    firstLost: () => slotBehind(LOST_END, LOST_END),
    data: (slot) => bytes[slot] ?? EMPTY,
    sequence: (slot) => at(sequences, slot),
    isLost: (slot) => states[slot] === LOST,
    sentAt: (slot) => at(sentAt, slot),
    firstSentAt: (slot) => at(firstSentAt, slot),
    tries: (slot) => at(tries, slot),
    wasOvertaken: (slot) => hasBeenOvertaken[slot] === 1,
    noteOvertaken(slot) {
      hasBeenOvertaken[slot] = 1
    },
    overtake(slot) {
      const count = at(overtaken, slot) + 1
      overtaken[slot] = Math.min(count, 60_000)
      return count
    },
  }
}

const EMPTY = new Uint8Array(0)

/** Indexes are slots of the ring or ends of its chains: always within bounds. */
function at(numbers: { readonly [index: number]: number }, index: number): number {
  return numbers[index] ?? 0
}
