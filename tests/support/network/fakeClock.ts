import type { Clock } from '@lantern-room/base/async'
import { createTimerHeap } from './timerHeap'

export type FakeClock = Clock & {
  /**
   * Moves time on: runs every timer that becomes due, in order, each at its own time, and lets promises
   * settle before the first, after each and at the end. `advance(0)` only lets promises settle.
   */
  advance(ms: number): Promise<void>
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
  const heap = createTimerHeap<Timer>()
  let time = 0
  let order = 0
  let waiting = 0
  let steps = 0

  return {
    now: () => time,
    unixTime: () => unixTimeAtStart + time,
    after(ms, act) {
      const exact = time + Math.max(0, ms)
      const at = granularityMs > 0 ? Math.ceil(exact / granularityMs) * granularityMs : exact
      const timer: Timer = { at, order: order++, act }
      heap.push(timer)
      waiting += 1
      return () => {
        if (timer.act) waiting -= 1
        timer.act = undefined
      }
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
