import { createFakeClock, settle } from '#support/network/fakeClock'
import { createPrng } from '#support/values/prng'

/** A network line in simulated time: delay, loss, reordering, duplication and a bottleneck with a queue, from a seed. */

export type LinkOptions = {
  /** One way. */
  readonly delayMs?: number
  /** Added at random to each packet, so that packets overtake each other. */
  readonly jitterMs?: number
  /** Probabilities from 0 to 1. */
  readonly loss?: number
  readonly duplication?: number
  /** Larger packets are lost without a word. */
  readonly maxBytes?: number
  /** As a TCP connection: what is lost is repaired after a round trip, and all behind it waits for it. */
  readonly isRepaired?: boolean
  /** Of the bottleneck; undefined for none. */
  readonly bitsPerSecond?: number
  /** What fits the bottleneck's queue; more is dropped. Default: no limit. */
  readonly queueBytes?: number
  /** Bytes around each packet on the wire. */
  readonly overhead?: number
}

export type Link = ReturnType<typeof createLink>
export type Simulation = ReturnType<typeof createSimulation>

export function createSimulation(seed: number) {
  const random = createPrng(seed).next
  const clock = createFakeClock()
  const { at, step } = clock

  return {
    get now() {
      return clock.now()
    },
    /** From 0 to 1, 1 left out. */
    random,
    random32: () => Math.floor(random() * 2 ** 32),
    at,
    link: (options: LinkOptions) => createLink(options, random, clock.now, at),
    /** Runs what is due, in order, until then or until `isDone`; `afterEach` comes after every event. @returns whether it was done */
    run(until: number, isDone: () => boolean, afterEach: () => void) {
      afterEach()
      while (!isDone()) {
        if (!step(until)) return false
        afterEach()
      }
      return true
    },
    /** As `run`, and lets promises settle after every event. */
    async runAsync(until: number, isDone: () => boolean, afterEach: () => void) {
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
  at: (time: number, act: () => void) => unknown,
) {
  let options = first
  let freeAt = 0
  let lastRepaired = 0
  let sent = 0
  let dropped = 0

  /** When a packet arrives at last that would arrive then. */
  function repairedAt(time: number): number {
    const { delayMs = 0, loss = 0 } = options
    let arrives = time
    while (random() < loss) arrives += 2 * delayMs
    lastRepaired = Math.max(lastRepaired, arrives)
    return lastRepaired
  }

  function isLost(size: number): boolean {
    const { loss = 0, maxBytes = Number.POSITIVE_INFINITY } = options
    return random() < loss || size > maxBytes
  }

  return {
    get stats() {
      return { sent, dropped }
    },
    /** Changes what is given; packets on their way are not touched. */
    change(next: LinkOptions) {
      options = { ...options, ...next }
    },
    send(size: number, deliver: () => void) {
      const { delayMs = 0, jitterMs = 0, duplication = 0, bitsPerSecond, overhead = 0 } = options
      sent += 1
      let leaves = now()
      if (bitsPerSecond !== undefined) {
        const bytesPerMs = bitsPerSecond / 8000
        const waits = Math.max(0, freeAt - leaves)
        if (waits * bytesPerMs + size > (options.queueBytes ?? Number.POSITIVE_INFINITY)) {
          dropped += 1
          return
        }
        freeAt = Math.max(freeAt, leaves) + (size + overhead) / bytesPerMs
        leaves = freeAt
      }
      if (options.isRepaired) {
        at(repairedAt(leaves + delayMs), deliver)
        return
      }
      if (isLost(size)) {
        dropped += 1
        return
      }
      for (let copies = random() < duplication ? 2 : 1; copies > 0; copies--) {
        at(leaves + delayMs + random() * jitterMs, deliver)
      }
    },
  }
}
