import type { Clock } from '@lantern-room/base/async'

/** The time of this machine. Its timers do not keep the process alive. */
export function createSystemClock(): Clock {
  return {
    now: () => performance.now(),
    unixTime: () => Date.now(),
    after(ms, act) {
      // A timer waits at least a millisecond, which is long for a packet; only work that is due at once may keep the
      // process alive for that turn.
      if (ms <= 0) {
        const immediate = setImmediate(act)
        return () => clearImmediate(immediate)
      }
      const timer = setTimeout(act, ms).unref()
      return () => clearTimeout(timer)
    },
  }
}
