import type { Clock } from '@lantern-room/base/async'

/**
 * The time of this machine.
 * @param options.keepsProcess whether Node stays alive for a timer of at least 1 ms. @default false: a service lives by its sockets
 * @example const clock = createSystemClock({ keepsProcess: true }) // a command that waits for nothing but time
 */
export function createSystemClock({ keepsProcess = false } = {}): Clock {
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
      const timer = setTimeout(act, ms)
      if (!keepsProcess) timer.unref()
      return () => clearTimeout(timer)
    },
  }
}
