import { StreamError } from './streamHandle'

/**
 * The attempts to open one stream. Neither side repeats the packets that open a stream, so each attempt has a
 * conversation of its own.
 */
export type OpenAttempts = {
  tick(now: number): void
  /** Infinity once it has succeeded or failed. */
  nextDeadline(): number
  /** The other side refused this attempt. */
  refused(conv: number): void
  /** This attempt has opened the stream; the others are given up. */
  succeeded(conv: number): void
  /** Gives up all attempts. */
  fail(error: StreamError): void
}

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

/** @see docs/network/streams.md */
export function createOpenAttempts(options: OpenAttemptsOptions): OpenAttempts {
  const { start, giveUp, onFail } = options
  const pending = new Set<number>()
  const giveUpAt = options.now + GIVE_UP_AFTER
  let count = 0
  let nextAt = options.now
  let isDone = false

  const giveUpOthers = (winner?: number) => {
    isDone = true
    for (const conv of pending) if (conv !== winner) giveUp(conv, false)
    pending.clear()
  }
  const fail = (error: StreamError) => {
    if (isDone) return
    giveUpOthers()
    onFail(error)
  }

  return {
    fail,
    succeeded: giveUpOthers,
    tick(now) {
      if (isDone) return
      if (now >= giveUpAt) return fail(new StreamError('unanswered'))
      if (now < nextAt || count === MAX_ATTEMPTS) return
      count += 1
      nextAt = now + (count === 1 ? SECOND_AFTER : NEXT_AFTER)
      pending.add(start())
    },
    nextDeadline() {
      if (isDone) return Number.POSITIVE_INFINITY
      return count === MAX_ATTEMPTS ? giveUpAt : Math.min(nextAt, giveUpAt)
    },
    refused(conv) {
      pending.delete(conv)
      giveUp(conv, true)
      if (pending.size === 0 && count === MAX_ATTEMPTS) fail(new StreamError('refused'))
    },
  }
}
