import type { Log } from '../log'

/** Limits of a network that members can reach. */
export type LimitName = 'members' | 'records' | 'streams' | 'raw TCP connections' | 'UDP flows'

/** Called for each refusal. */
export type OnRefused = (limit: LimitName) => void

/** Counts what is refused because a limit is reached, and logs only the first refusal of each: there may be thousands. */
export function createLimitLog(log: Log): {
  readonly onRefused: OnRefused
  readonly counts: ReadonlyMap<LimitName, number>
} {
  const counts = new Map<LimitName, number>()
  return {
    counts,
    onRefused(limit) {
      const count = counts.get(limit) ?? 0
      counts.set(limit, count + 1)
      if (count === 0) log.warn('a limit of the network is reached; more is refused', { limit })
    },
  }
}
