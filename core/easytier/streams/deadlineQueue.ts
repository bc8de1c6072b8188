/** Items by the time at which they are due, each of them once: a binary heap. All but `next` take logarithmic time. */
export type DeadlineQueue<T> = {
  /** Adds the item, or moves it to an earlier time. Without effect where it is due by then already, and for Infinity. */
  add(item: T, at: number): void
  /** Takes out all that are due by then, the earliest first. */
  take(now: number): readonly T[]
  delete(item: T): void
  /** When the first one is due; Infinity when there is none. */
  next(): number
  /** When this one is due; Infinity when it is not in the queue. */
  dueAt(item: T): number
}

type Entry<T> = { readonly item: T; at: number; place: number }

export function createDeadlineQueue<T>(): DeadlineQueue<T> {
  const heap: Entry<T>[] = []
  const entries = new Map<T, Entry<T>>()

  const put = (entry: Entry<T>, place: number) => {
    heap[place] = entry
    entry.place = place
  }
  const rise = (entry: Entry<T>) => {
    for (;;) {
      const above = heap[(entry.place - 1) >> 1]
      if (!above || above.at <= entry.at) return
      const { place } = above
      put(above, entry.place)
      put(entry, place)
    }
  }
  const sink = (entry: Entry<T>) => {
    for (;;) {
      const left = heap[2 * entry.place + 1]
      const right = heap[2 * entry.place + 2]
      const below = left && right && right.at < left.at ? right : left
      if (!below || below.at >= entry.at) return
      const { place } = below
      put(below, entry.place)
      put(entry, place)
    }
  }
  const remove = (entry: Entry<T>) => {
    entries.delete(entry.item)
    const last = heap.pop()
    if (!last || last === entry) return
    put(last, entry.place)
    rise(last)
    sink(last)
  }

  return {
    add(item, at) {
      const known = entries.get(item)
      if (at === Number.POSITIVE_INFINITY || (known && known.at <= at)) return
      const entry = known ?? { item, at, place: heap.length }
      entry.at = at
      if (!known) {
        entries.set(item, entry)
        heap.push(entry)
      }
      rise(entry)
    },
    take(now) {
      const due: T[] = []
      for (let [first] = heap; first && first.at <= now; [first] = heap) {
        due.push(first.item)
        remove(first)
      }
      return due
    },
    delete(item) {
      const entry = entries.get(item)
      if (entry) remove(entry)
    },
    next: () => heap[0]?.at ?? Number.POSITIVE_INFINITY,
    dueAt: (item) => entries.get(item)?.at ?? Number.POSITIVE_INFINITY,
  }
}
