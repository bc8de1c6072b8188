import { createPrng } from '../values/prng'
import { settle } from './fakeClock'
import { createTimerHeap } from './timerHeap'

/** A network line in simulated time: delay, loss, reordering, duplication and a bottleneck with a queue, from a seed. */

export type LinkOptions = {
  /** One way. */
  readonly delayMs?: number
  /** Added at random to each packet, so that packets overtake each other. */
  readonly jitterMs?: number
  /** Probabilities from 0 to 1. */
  readonly loss?: number
  readonly duplication?: number
  /** Of the bottleneck; undefined for none. */
  readonly bitsPerSecond?: number
  /** What fits the bottleneck's queue; more is dropped. Default: no limit. */
  readonly queueBytes?: number
  /** Bytes around each packet on the wire. */
  readonly overhead?: number
}

export type Link = {
  send(size: number, deliver: () => void): void
  /** Changes what is given; packets on their way are not touched. */
  change(options: LinkOptions): void
  readonly stats: {
    readonly sent: number
    readonly dropped: number
    readonly bytes: number
    readonly longestQueueMs: number
  }
}

export type Simulation = {
  readonly now: number
  /** From 0 to 1, 1 left out. */
  random(): number
  random32(): number
  at(time: number, act: () => void): void
  link(options: LinkOptions): Link
  /** Runs what is due, in order, until then or until `isDone`; `afterEach` comes after every event. @returns whether it was done */
  run(until: number, isDone: () => boolean, afterEach: () => void): boolean
  /** As `run`, and lets promises settle after every event. */
  runAsync(until: number, isDone: () => boolean, afterEach: () => void): Promise<boolean>
}

type Event = { readonly at: number; readonly order: number; readonly act: () => void }

export function createSimulation(seed: number): Simulation {
  const random = createPrng(seed).next
  const events = createTimerHeap<Event>()
  let now = 0
  let order = 0

  const at = (time: number, act: () => void) => events.push({ at: Math.max(time, now), order: order++, act })
  const step = (until: number): boolean => {
    const event = events.first()
    if (!event || event.at > until) return false
    events.pop()
    now = event.at
    event.act()
    return true
  }

  return {
    get now() {
      return now
    },
    random,
    random32: () => Math.floor(random() * 2 ** 32),
    at,
    link: (options) => createLink(options, random, () => now, at),
    run(until, isDone, afterEach) {
      afterEach()
      while (!isDone()) {
        if (!step(until)) return false
        afterEach()
      }
      return true
    },
    async runAsync(until, isDone, afterEach) {
      await settle()
      afterEach()
      while (!isDone()) {
        if (!step(until)) return false
        afterEach()
        await settle()
        afterEach()
      }
      return true
    },
  }
}

function createLink(
  first: LinkOptions,
  random: () => number,
  now: () => number,
  at: (time: number, act: () => void) => void,
): Link {
  let options = first
  let freeAt = 0
  let sent = 0
  let dropped = 0
  let bytes = 0
  let longestQueueMs = 0

  return {
    get stats() {
      return { sent, dropped, bytes, longestQueueMs }
    },
    change(next) {
      options = { ...options, ...next }
    },
    send(size, deliver) {
      const { delayMs = 0, jitterMs = 0, loss = 0, duplication = 0, bitsPerSecond, overhead = 0 } = options
      sent += 1
      bytes += size + overhead
      let leaves = now()
      if (bitsPerSecond !== undefined) {
        const bytesPerMs = bitsPerSecond / 8000
        const waits = Math.max(0, freeAt - leaves)
        if (waits * bytesPerMs + size > (options.queueBytes ?? Number.POSITIVE_INFINITY)) {
          dropped += 1
          return
        }
        longestQueueMs = Math.max(longestQueueMs, waits)
        freeAt = Math.max(freeAt, leaves) + (size + overhead) / bytesPerMs
        leaves = freeAt
      }
      if (random() < loss) {
        dropped += 1
        return
      }
      for (let copies = random() < duplication ? 2 : 1; copies > 0; copies--) {
        at(leaves + delayMs + random() * jitterMs, deliver)
      }
    },
  }
}
