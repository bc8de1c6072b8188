type Entry<T> = { readonly item: T; at: number; place: number }

/** Items by the time at which they are due, each of them once: a binary heap. All but `next` take logarithmic time. */
export class DeadlineQueue<T> {
  readonly #heap: Entry<T>[] = []
  readonly #entries = new Map<T, Entry<T>>()

  /** Adds the item, or moves it to an earlier time. Without effect where it is due by then already, and for Infinity. */
  add(item: T, at: number): void {
    const known = this.#entries.get(item)
    if (at === Number.POSITIVE_INFINITY || (known && known.at <= at)) return
    const entry = known ?? { item, at, place: this.#heap.length }
    entry.at = at
    if (!known) {
      this.#entries.set(item, entry)
      this.#heap.push(entry)
    }
    this.#rise(entry)
  }

  /** Takes out all that are due by then, the earliest first. */
  take(now: number): readonly T[] {
    const due: T[] = []
    for (let [first] = this.#heap; first && first.at <= now; [first] = this.#heap) {
      due.push(first.item)
      this.#remove(first)
    }
    return due
  }

  delete(item: T): void {
    const entry = this.#entries.get(item)
    if (entry) this.#remove(entry)
  }

  /** When the first one is due; Infinity when there is none. */
  next(): number {
    return this.#heap[0]?.at ?? Number.POSITIVE_INFINITY
  }

  /** When this one is due; Infinity when it is not in the queue. */
  dueAt(item: T): number {
    return this.#entries.get(item)?.at ?? Number.POSITIVE_INFINITY
  }

  #put(entry: Entry<T>, place: number): void {
    this.#heap[place] = entry
    entry.place = place
  }

  #rise(entry: Entry<T>): void {
    for (;;) {
      const above = this.#heap[(entry.place - 1) >> 1]
      if (!above || above.at <= entry.at) return
      const { place } = above
      this.#put(above, entry.place)
      this.#put(entry, place)
    }
  }

  #sink(entry: Entry<T>): void {
    for (;;) {
      const left = this.#heap[2 * entry.place + 1]
      const right = this.#heap[2 * entry.place + 2]
      const below = left && right && right.at < left.at ? right : left
      if (!below || below.at >= entry.at) return
      const { place } = below
      this.#put(below, entry.place)
      this.#put(entry, place)
    }
  }

  #remove(entry: Entry<T>): void {
    this.#entries.delete(entry.item)
    const last = this.#heap.pop()
    if (!last || last === entry) return
    this.#put(last, entry.place)
    this.#rise(last)
    this.#sink(last)
  }
}
