import { KCP_WINDOW } from './segments'

/** Most streams carry little, and members open thousands of them. */
const FIRST_SIZE = 128
const FREE = 0
const ON_WAY = 1
const LOST = 2
/** The places that hold the beginning and the end of each chain. */
const WAY_END = KCP_WINDOW
const LOST_END = KCP_WINDOW + 1

/**
 * Segments that were sent and are not acknowledged, in a ring by sequence number, with two chains through it: those believed
 * on their way, in the order of their last sending, and those believed lost. All but `grown` takes constant time.
 */
export class Flight {
  /** Sequence numbers that it can hold from the oldest on; a power of two. */
  readonly size: number
  readonly #bytes: (Uint8Array | undefined)[] = []
  readonly #sequences: Uint32Array
  readonly #sentAt: Float64Array
  readonly #firstSentAt: Float64Array
  readonly #tries: Uint16Array
  readonly #overtaken: Uint16Array
  readonly #hasBeenOvertaken: Uint8Array
  readonly #states: Uint8Array
  readonly #previous = new Uint16Array(KCP_WINDOW + 2)
  readonly #next = new Uint16Array(KCP_WINDOW + 2)
  #onWay = 0
  #lost = 0

  constructor(size = FIRST_SIZE) {
    this.size = size
    this.#sequences = new Uint32Array(size)
    this.#sentAt = new Float64Array(size)
    this.#firstSentAt = new Float64Array(size)
    this.#tries = new Uint16Array(size)
    this.#overtaken = new Uint16Array(size)
    this.#hasBeenOvertaken = new Uint8Array(size)
    this.#states = new Uint8Array(size)
    for (const chain of [this.#previous, this.#next]) chain.set([WAY_END, LOST_END], WAY_END)
  }

  /** The same segments in a ring of twice the size. */
  grown(): Flight {
    const larger = new Flight(this.size * 2)
    for (let slot = this.oldest(); slot !== undefined; slot = this.after(slot)) larger.#copy(this, slot)
    for (let slot = this.firstLost(); slot !== undefined; slot = this.#slotBehind(slot, LOST_END))
      larger.markLost(larger.#copy(this, slot), false)
    return larger
  }

  slotOf(sequence: number): number {
    return sequence & (this.size - 1)
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
    const slot = this.slotOf(sequence)
    return this.#states[slot] !== FREE && this.#sequences[slot] === sequence
  }

  add(sequence: number, data: Uint8Array, now: number): void {
    const slot = this.slotOf(sequence)
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

  /** @param isOvertaken by segments that were sent later, and not timed out */
  markLost(slot: number, isOvertaken: boolean): void {
    if (isOvertaken) this.#hasBeenOvertaken[slot] = 1
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
    return this.#bytes[slot] ?? new Uint8Array(0)
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

  /** Counts that a segment sent later has arrived. @returns how many have */
  overtake(slot: number): number {
    const count = at(this.#overtaken, slot) + 1
    this.#overtaken[slot] = Math.min(count, 60_000)
    return count
  }

  #copy(from: Flight, slot: number): number {
    const to = this.slotOf(from.sequence(slot))
    this.add(from.sequence(slot), from.data(slot), from.firstSentAt(slot))
    this.#sentAt[to] = from.sentAt(slot)
    this.#tries[to] = from.tries(slot)
    this.#hasBeenOvertaken[to] = at(from.#hasBeenOvertaken, slot)
    return to
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

/** Indexes are slots of the ring or ends of its chains: always within bounds. */
function at(numbers: { readonly [index: number]: number }, index: number): number {
  return numbers[index] ?? 0
}
