import { StreamError } from './streamError'

export type OpenAttemptsOptions = {
  readonly now: number
  /** Sends a SYN. @returns the number of its conversation */
  readonly start: () => number
  /** Forgets a conversation. @param isRefused the other side has done so already */
  readonly giveUp: (conv: number, isRefused: boolean) => void
  readonly onFail: (error: StreamError) => void
}

const MAX_ATTEMPTS = 5
/** A SYN that arrives before the other side has our peer record gets no answer, so the second one follows soon. */
const SECOND_AFTER = 100
const NEXT_AFTER = 200
const GIVE_UP_AFTER = 10_000

export type OpenAttempts = ReturnType<typeof createOpenAttempts>

/**
 * The attempts to open one stream. Neither side repeats the packets that open a stream, so each attempt has a
 * conversation of its own.
 * @see docs/network/streams.md
 */
export function createOpenAttempts({ now: begun, start, giveUp, onFail }: OpenAttemptsOptions) {
  const pending = new Set<number>()
  const giveUpAt = begun + GIVE_UP_AFTER
  let count = 0
  let nextAt = begun
  let isDone = false

  return {
    tick(now: number): void {
      if (isDone) return
      if (now >= giveUpAt) {
        fail(new StreamError('unanswered'))
        return
      }
      if (now < nextAt || count === MAX_ATTEMPTS) return
      count += 1
      nextAt = now + (count === 1 ? SECOND_AFTER : NEXT_AFTER)
      pending.add(start())
    },
    /** Infinity once it has succeeded or failed. */
    nextDeadline(): number {
      if (isDone) return Number.POSITIVE_INFINITY
      return count === MAX_ATTEMPTS ? giveUpAt : Math.min(nextAt, giveUpAt)
    },
    /** The other side refused this attempt. */
    refused(conv: number): void {
      pending.delete(conv)
      giveUp(conv, true)
      if (pending.size === 0 && count === MAX_ATTEMPTS) fail(new StreamError('refused'))
    },
    /** This attempt has opened the stream; the others are given up. */
    succeeded: (conv: number): void => giveUpOthers(conv),
    fail,
  }

  function fail(error: StreamError): void {
    if (isDone) return
    giveUpOthers()
    onFail(error)
  }

  function giveUpOthers(winner?: number): void {
    isDone = true
    for (const conv of pending) if (conv !== winner) giveUp(conv, false)
    pending.clear()
  }
}
