type Timed = { readonly at: number; readonly order: number }

/** What is due next on top; of two for the same time the one that was set first. */
export function createTimerHeap<T extends Timed>() {
  const timers: T[] = []
  const isBefore = (one: T | undefined, other: T | undefined) =>
    one !== undefined &&
    other !== undefined &&
    (one.at < other.at || (one.at === other.at && one.order < other.order))

  return {
    first: () => timers[0],
    push(timer: T) {
      let at = timers.length
      while (at > 0) {
        const parent = (at - 1) >> 1
        const above = timers[parent]
        if (!above || !isBefore(timer, above)) break
        timers[at] = above
        at = parent
      }
      timers[at] = timer
    },
    pop(): T | undefined {
      const top = timers[0]
      const last = timers.pop()
      if (!last || timers.length === 0) return top
      let at = 0
      for (;;) {
        const left = 2 * at + 1
        const child = isBefore(timers[left + 1], timers[left]) ? left + 1 : left
        const below = timers[child]
        if (!below || !isBefore(below, last)) break
        timers[at] = below
        at = child
      }
      timers[at] = last
      return top
    },
  }
}
