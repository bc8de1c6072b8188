import { StreamError } from './streamError'
import { streamFlags } from './streamPacket'

/** The attempts to open one stream. Neither side repeats its packets, so each attempt has a conversation of its own. */
export type OpenAttempts = {
  readonly peerId: number
  /** Conversations that wait for an answer. */
  readonly convs: ReadonlySet<number>
  tick(now: number): void
  nextDeadline(): number
  /** The other side does not want this one. */
  refused(conv: number): void
  /** This one is open: the others are given up. */
  answered(conv: number): void
  /** Gives all of them up, and tells the other side. */
  fail(error: StreamError): void
}

export type OpenAttemptsOptions = {
  readonly peerId: number
  readonly now: number
  readonly newConv: () => number
  readonly send: (conv: number, flags: number) => void
  /** The conversation is given up. */
  readonly forget: (conv: number) => void
  readonly onFail: (error: StreamError) => void
}

const MOST_ATTEMPTS = 5
/** A SYN that is there before our record is lost: the second one comes soon. */
const SECOND_AFTER = 100
const NEXT_AFTER = 200
const GIVE_UP_AFTER = 10_000

/** @see docs/network/streams.md */
export function createOpenAttempts(options: OpenAttemptsOptions): OpenAttempts {
  const { peerId, newConv, send, forget, onFail } = options
  const convs = new Set<number>()
  const giveUpAt = options.now + GIVE_UP_AFTER
  let count = 0
  let nextAt = options.now
  let isDone = false

  const giveUpOthers = (winner?: number) => {
    isDone = true
    for (const conv of convs) {
      if (conv === winner) continue
      send(conv, streamFlags.rst)
      forget(conv)
    }
    convs.clear()
  }
  const fail = (error: StreamError) => {
    if (isDone) return
    giveUpOthers()
    onFail(error)
  }

  return {
    peerId,
    convs,
    fail,
    answered: giveUpOthers,
    tick(now) {
      if (isDone) return
      if (now >= giveUpAt) return fail(new StreamError('unanswered'))
      if (now < nextAt || count === MOST_ATTEMPTS) return
      count += 1
      nextAt = now + (count === 1 ? SECOND_AFTER : NEXT_AFTER)
      const conv = newConv()
      convs.add(conv)
      send(conv, streamFlags.syn)
    },
    nextDeadline() {
      if (isDone) return Number.POSITIVE_INFINITY
      return count === MOST_ATTEMPTS ? giveUpAt : Math.min(nextAt, giveUpAt)
    },
    refused(conv) {
      convs.delete(conv)
      forget(conv)
      if (convs.size === 0 && count === MOST_ATTEMPTS) fail(new StreamError('refused'))
    },
  }
}
