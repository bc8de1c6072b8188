import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { examineStore, ROUNDING_MS } from './examineStore'
import type { ObjectStore } from './ports'

export type StoreClock = ReturnType<typeof createStoreClock>

const MINUTE_MS = 60_000
/** A measurement may fall short of the truth by the store's rounding. */
const WARN_FROM_MS = MINUTE_MS - ROUNDING_MS
const KEEP_FROM_MS = 5 * MINUTE_MS - ROUNDING_MS
/** Between measurements, both clocks of this machine may disagree by less than that. */
const JUMP_MS = MINUTE_MS
const MEASURE_AGAIN_MS = 10_000

type Measured = { readonly aheadMs: number; readonly unixMs: number; readonly monotonicMs: number }

/**
 * A clock whose Unix time is the store's, by which everything in the store expires: hosts that share a store agree on it,
 * however wrong their own clocks are. Until the first measurement it is this machine's.
 * @see docs/decisions.md, D148
 * @example createStoreClock({ store, clock, log }).unixTime()
 */
export function createStoreClock(dependencies: {
  readonly store: Pick<ObjectStore, 'createBytes' | 'head' | 'delete'>
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}) {
  const { store, clock, log } = dependencies
  let last: Measured | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  /** Compares this machine's clock with the store's, and logs a warning if they differ. @throws what the store throws */
  async function measure() {
    const [unixMs, monotonicMs] = [clock.unixTime(), clock.now()]
    triedAt = monotonicMs
    const found = await examineStore(store, clock)
    // An estimate that is still possible stays, so that the time does not go back and forth.
    const [least, most] = found.aheadMs
    last = { aheadMs: Math.max(least, Math.min(most, last?.aheadMs ?? 0)), unixMs, monotonicMs }
    const detail = warning()
    if (detail !== undefined) {
      log.warn('the clock of this machine is wrong', {
        ahead_seconds: Math.round(last.aheadMs / 1000),
        detail,
      })
    }
    return found
  }

  /** Tells the operator how the clock is wrong and what to do; undefined while it is right. */
  function warning(): string | undefined {
    return last && Math.abs(last.aheadMs) >= WARN_FROM_MS ? describe(last.aheadMs) : undefined
  }

  /** Whether this machine's clock was set since the measurement, or the machine was asleep. */
  function hasJumped({ unixMs, monotonicMs }: Measured): boolean {
    return Math.abs(clock.unixTime() - unixMs - (clock.now() - monotonicMs)) >= JUMP_MS
  }

  function measureSoon(): void {
    if (clock.now() - triedAt < MEASURE_AGAIN_MS) return
    measure().catch((error: unknown) =>
      log.warn('the clock of the storage was not measured', { error: String(error) }),
    )
  }

  return {
    ...clock,
    unixTime(): number {
      if (last === undefined) return clock.unixTime()
      if (!hasJumped(last)) return clock.unixTime() - last.aheadMs
      measureSoon()
      return last.unixMs - last.aheadMs + (clock.now() - last.monotonicMs)
    },
    measure,
    warning,
    /** How far this machine's clock is ahead of the store's, in milliseconds, as measured last. */
    aheadMs: () => last?.aheadMs ?? 0,
    /** False while this host must not remove what has expired, because its clock is wrong or was not measured. */
    mayRemove: () => last !== undefined && Math.abs(last.aheadMs) < KEEP_FROM_MS && !hasJumped(last),
  }
}

function describe(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / MINUTE_MS)
  const amount = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  const keeps =
    Math.abs(aheadMs) < KEEP_FROM_MS ? '' : ' Until then this host removes nothing that has expired.'
  return `It is ${amount} ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of the storage. Set it, for example by NTP.${keeps}`
}
