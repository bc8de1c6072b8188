import { KCP_WINDOW } from './segments'

export const slotOf = (sequence: number): number => sequence & (KCP_WINDOW - 1)

const FREE = 0
const ON_WAY = 1
const LOST = 2
/** The ring places that hold the beginning and the end of each chain. */
const WAY_END = KCP_WINDOW
const LOST_END = KCP_WINDOW + 1

/**
 * Segments that were sent and are not acknowledged, in a ring by sequence number, with two chains through it: those
 * believed on their way, in the order of their last sending, and those believed lost. All operations take constant time.
 */
export class Flight {
  readonly #bytes: (Uint8Array | undefined)[] = new Array(KCP_WINDOW).fill(undefined)
  readonly #sequences = new Uint32Array(KCP_WINDOW)
  readonly #sentAt = new Float64Array(KCP_WINDOW)
  readonly #firstSentAt = new Float64Array(KCP_WINDOW)
  readonly #tries = new Uint16Array(KCP_WINDOW)
  readonly #overtaken = new Uint16Array(KCP_WINDOW)
  readonly #hasBeenOvertaken = new Uint8Array(KCP_WINDOW)
  readonly #states = new Uint8Array(KCP_WINDOW)
  readonly #previous = new Uint16Array(KCP_WINDOW + 2)
  readonly #next = new Uint16Array(KCP_WINDOW + 2)
  #onWay = 0
  #lost = 0

  constructor() {
    for (const end of [WAY_END, LOST_END]) {
      this.#previous[end] = end
      this.#next[end] = end
    }
  }

  /** Believed on their way. */
  get onWay(): number {
    return this.#onWay
  }

  /** Believed lost, waiting to be sent again. */
  get lost(): number {
    return this.#lost
  }

  holds(sequence: number): boolean {
    const slot = slotOf(sequence)
    return this.#states[slot] !== FREE && this.#sequences[slot] === sequence
  }

  add(sequence: number, data: Uint8Array, now: number): void {
    const slot = slotOf(sequence)
    this.#bytes[slot] = data
    this.#sequences[slot] = sequence
    this.#tries[slot] = 1
    this.#hasBeenOvertaken[slot] = 0
    this.#firstSentAt[slot] = now
    this.#launch(slot, now)
  }

  /** It has arrived. */
  remove(slot: number): void {
    this.#unlink(slot)
    this.#states[slot] = FREE
    this.#bytes[slot] = undefined
  }

  markLost(slot: number): void {
    this.#unlink(slot)
    this.#states[slot] = LOST
    this.#lost += 1
    this.#append(slot, LOST_END)
  }

  /** To be called when the first lost one is sent again: it becomes the last on its way. */
  resend(slot: number, now: number): void {
    this.#unlink(slot)
    this.#tries[slot] = Math.min(at(this.#tries, slot) + 1, 1000)
    this.#launch(slot, now)
  }

  /** The one sent longest ago; undefined when none is on its way. */
  oldest(): number | undefined {
    return this.#slotBehind(WAY_END, WAY_END)
  }

  /** The one sent after this one. */
  after(slot: number): number | undefined {
    return this.#slotBehind(slot, WAY_END)
  }

  firstLost(): number | undefined {
    return this.#slotBehind(LOST_END, LOST_END)
  }

  data(slot: number): Uint8Array {
    return this.#bytes[slot] ?? EMPTY
  }

  sequence(slot: number): number {
    return at(this.#sequences, slot)
  }

  isLost(slot: number): boolean {
    return this.#states[slot] === LOST
  }

  /** Time of the last sending, in whole milliseconds. */
  sentAt(slot: number): number {
    return at(this.#sentAt, slot)
  }

  firstSentAt(slot: number): number {
    return at(this.#firstSentAt, slot)
  }

  /** How often it was sent. */
  tries(slot: number): number {
    return at(this.#tries, slot)
  }

  /** Whether it was sent again because others had overtaken it. */
  wasOvertaken(slot: number): boolean {
    return this.#hasBeenOvertaken[slot] === 1
  }

  noteOvertaken(slot: number): void {
    this.#hasBeenOvertaken[slot] = 1
  }

  /** Counts that a segment sent later has arrived. @returns how many have */
  overtake(slot: number): number {
    const count = at(this.#overtaken, slot) + 1
    this.#overtaken[slot] = Math.min(count, 60_000)
    return count
  }

  #launch(slot: number, now: number): void {
    this.#states[slot] = ON_WAY
    this.#sentAt[slot] = now
    this.#overtaken[slot] = 0
    this.#onWay += 1
    this.#append(slot, WAY_END)
  }

  #append(slot: number, end: number): void {
    const last = at(this.#previous, end)
    this.#next[last] = slot
    this.#previous[slot] = last
    this.#next[slot] = end
    this.#previous[end] = slot
  }

  #unlink(slot: number): void {
    const before = at(this.#previous, slot)
    const behind = at(this.#next, slot)
    this.#next[before] = behind
    this.#previous[behind] = before
    if (this.#states[slot] === ON_WAY) this.#onWay -= 1
    else this.#lost -= 1
  }

  #slotBehind(slot: number, end: number): number | undefined {
    const behind = at(this.#next, slot)
    return behind === end ? undefined : behind
  }
}

const EMPTY = new Uint8Array(0)

/** Indexes are slots of the ring or ends of its chains: always within bounds. */
function at(numbers: { readonly [index: number]: number }, index: number): number {
  return numbers[index] ?? 0
}
