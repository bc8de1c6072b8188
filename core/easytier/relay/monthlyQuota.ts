import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'

/** A number of bytes that may be relayed in a calendar month (UTC). */
export type MonthlyQuota = {
  /** Bytes a month. */
  readonly limit: number
  /** Counts bytes that were relayed. */
  spend(bytes: number): void
  isSpent(): boolean
  /** The count of this month, to be kept for the next start. */
  count(): MonthCount
  /** Unix time in milliseconds at which the next month begins. */
  resetsAt(): number
}

/** @property month such as `2026-11` */
export type MonthCount = { readonly month: string; readonly bytes: number }

/**
 * @param kept the count of an earlier run. One of an earlier month does not matter; one of a later month goes on, since a
 * machine may begin with a wrong clock.
 */
export function createMonthlyQuota(
  limit: number,
  { clock, log, kept }: { readonly clock: Clock; readonly log: Log; readonly kept?: MonthCount | undefined },
): MonthlyQuota {
  let month = monthOf(clock.unixTime())
  let bytes = 0
  if (kept && kept.month >= month.name) {
    month = monthOf(Date.parse(`${kept.month}-01T00:00:00Z`))
    bytes = kept.bytes
  }
  if (bytes >= limit) tell()
  return {
    limit,
    spend(more) {
      turn()
      const wasSpent = bytes >= limit
      bytes += more
      if (!wasSpent && bytes >= limit) tell()
    },
    isSpent() {
      turn()
      return bytes >= limit
    },
    count() {
      turn()
      return { month: month.name, bytes }
    },
    resetsAt() {
      turn()
      return month.endsAt
    },
  }

  /** A clock that is set back does not bring a month back. */
  function turn(): void {
    if (clock.unixTime() < month.endsAt) return
    month = monthOf(clock.unixTime())
    bytes = 0
  }

  function tell(): void {
    const resetsAt = new Date(month.endsAt).toISOString()
    log.warn('the monthly quota is spent: new rooms are refused', { limit, resetsAt })
  }
}

function monthOf(unixTime: number): { readonly name: string; readonly endsAt: number } {
  const date = new Date(unixTime)
  const endsAt = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
  return { name: date.toISOString().slice(0, 7), endsAt }
}
