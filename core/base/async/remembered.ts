import type { Clock } from './clock'

/**
 * A measurement that is shared by concurrent callers and remembered for some time.
 * @param ms milliseconds for which a result counts
 * @example
 * const health = createRemembered(clock, 60_000, () => probeNode(url))
 * const node = await health.get()
 */
export function createRemembered<T>(clock: Pick<Clock, 'now'>, ms: number, measure: () => Promise<T>) {
  let running: Promise<T> | undefined
  let last: { readonly value: T; readonly at: number } | undefined

  async function measureNow(): Promise<T> {
    try {
      const value = await measure()
      last = { value, at: clock.now() }
      return value
    } finally {
      running = undefined
    }
  }

  return {
    /** @throws what the measurement throws; that is not remembered */
    async get(): Promise<T> {
      if (last && clock.now() - last.at < ms) return last.value
      running ??= measureNow()
      return running
    },
  }
}
