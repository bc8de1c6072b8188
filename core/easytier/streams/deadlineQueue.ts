/** Items by the time at which they are due, each of them once. Finding a place takes logarithmic time. */
export class DeadlineQueue<T> {
  /** The earliest first, and for each its time at the same place. */
  readonly #items: T[] = []
  readonly #times: number[] = []
  readonly #timeOf = new Map<T, number>()

  /** Adds the item, or moves it to an earlier time. Without effect where it is due by then already, and for Infinity. */
  add(item: T, at: number): void {
    if (at === Number.POSITIVE_INFINITY || this.dueAt(item) <= at) return
    this.delete(item)
    const place = this.#countUntil(at)
    this.#items.splice(place, 0, item)
    this.#times.splice(place, 0, at)
    this.#timeOf.set(item, at)
  }

  /** Takes out all that are due by then, the earliest first. */
  take(now: number): readonly T[] {
    const count = this.#countUntil(now)
    this.#times.splice(0, count)
    const due = this.#items.splice(0, count)
    for (const item of due) this.#timeOf.delete(item)
    return due
  }

  delete(item: T): void {
    const at = this.#timeOf.get(item)
    if (at === undefined) return
    const place = this.#items.lastIndexOf(item, this.#countUntil(at) - 1)
    this.#items.splice(place, 1)
    this.#times.splice(place, 1)
    this.#timeOf.delete(item)
  }

  /** When the first one is due; Infinity when there is none. */
  next(): number {
    return this.#times[0] ?? Number.POSITIVE_INFINITY
  }

  /** When this one is due; Infinity when it is not in the queue. */
  dueAt(item: T): number {
    return this.#timeOf.get(item) ?? Number.POSITIVE_INFINITY
  }

  #countUntil(at: number): number {
    let [start, end] = [0, this.#times.length]
    while (start < end) {
      const middle = (start + end) >> 1
      if ((this.#times[middle] ?? at) <= at) start = middle + 1
      else end = middle
    }
    return start
  }
}
