import type { Clock } from '@lantern-room/base/async'

export type FakeClock = Clock & {
  /**
   * Moves time on: runs every timer that becomes due, in order, each at its own time, and lets promises
   * settle before the first, after each and at the end. `advance(0)` only lets promises settle.
   */
  advance(ms: number): Promise<void>
  /** The same as `after`, at a time of `now()`; at once where that is past. */
  at(time: number, act: () => void): () => void
  /** Runs the next timer that is due until then, and lets no promise settle. @returns whether there was one */
  step(until: number): boolean
  /** How many timers wait: 0 shows that nothing was left behind. */
  readonly timers: number
  /** How many were run so far. */
  readonly steps: number
}

export type FakeClockOptions = {
  /** Where it is 1, as with real timers, all that is due within a millisecond comes in one go. Default: as fine as asked for. */
  readonly granularityMs?: number
  /** Promises settle once for all timers of the same instant: several times as fast. */
  readonly settlesPerInstant?: boolean
}

type Timer = { readonly at: number; readonly order: number; act: (() => void) | undefined }

/** Time that stands still until it is moved. */
export function createFakeClock(
  unixTimeAtStart = Date.UTC(2026, 0, 1),
  { granularityMs = 0, settlesPerInstant = false }: FakeClockOptions = {},
): FakeClock {
  const heap = createTimerHeap()
  let time = 0
  let order = 0
  let waiting = 0
  let steps = 0

  return {
    now: () => time,
    unixTime: () => unixTimeAtStart + time,
    after: (ms, act) => set(time + Math.max(0, ms), act),
    at: (at, act) => set(Math.max(time, at), act),
    step(until) {
      for (let timer = heap.first(); timer && timer.at <= until; timer = heap.first())
        if (run(heap.pop())) return true
      return false
    },
    async advance(ms) {
      const until = time + ms
      await settle()
      for (let timer = heap.first(); timer && timer.at <= until; timer = heap.first()) {
        const isRun = settlesPerInstant ? runAll(timer.at) : run(heap.pop())
        if (isRun) await settle()
      }
      time = until
    },
    get timers() {
      return waiting
    },
    get steps() {
      return steps
    },
  }

  function set(exact: number, act: () => void): () => void {
    const at = granularityMs > 0 ? Math.ceil(exact / granularityMs) * granularityMs : exact
    const timer: Timer = { at, order: order++, act }
    heap.push(timer)
    waiting += 1
    return () => {
      if (timer.act) waiting -= 1
      timer.act = undefined
    }
  }

  function run(timer: Timer | undefined): boolean {
    const act = timer?.act
    if (!timer || !act) return false
    timer.act = undefined
    waiting -= 1
    steps += 1
    time = timer.at
    act()
    return true
  }

  /** What is due now; what that sets for now comes with the next go. */
  function runAll(at: number): boolean {
    const last = order
    let isRun = false
    for (let timer = heap.first(); timer?.at === at && timer.order < last; timer = heap.first()) {
      isRun = run(heap.pop()) || isRun
    }
    return isRun
  }
}

/** What is due next on top; of two for the same time the one that was set first. */
function createTimerHeap() {
  const timers: Timer[] = []
  const isBefore = (one: Timer | undefined, other: Timer | undefined) =>
    one !== undefined &&
    other !== undefined &&
    (one.at < other.at || (one.at === other.at && one.order < other.order))

  return {
    first: () => timers[0],
    push(timer: Timer) {
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
    pop(): Timer | undefined {
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

/** Every promise that can settle without outside help has settled when this resolves. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** What a promise gives that needs the clock to move. @throws Error when it needs more than half a minute of it */
export async function settled<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  const isDone = watched(work)
  for (let waited = 0; waited < 30_000 && !isDone(); waited += 10) await clock.advance(10)
  if (!isDone()) throw new Error('nothing after 30 s')
  return work
}

/** Whether a promise settles without outside help, and without the clock. */
export async function isSettled(work: Promise<unknown>): Promise<boolean> {
  const isDone = watched(work)
  await settle()
  return isDone()
}

/** @returns whether the promise has resolved or failed by the time of the call */
function watched(work: Promise<unknown>): () => boolean {
  let isDone = false
  const done = () => {
    isDone = true
  }
  work.then(done, done)
  return () => isDone
}
