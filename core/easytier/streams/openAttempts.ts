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

/**
 * The attempts to open one stream. Neither side repeats the packets that open a stream, so each attempt has a
 * conversation of its own.
 * @see docs/network/streams.md
 */
export class OpenAttempts {
  readonly #options: OpenAttemptsOptions
  readonly #pending = new Set<number>()
  readonly #giveUpAt: number
  #count = 0
  #nextAt: number
  #isDone = false

  constructor(options: OpenAttemptsOptions) {
    this.#options = options
    this.#giveUpAt = options.now + GIVE_UP_AFTER
    this.#nextAt = options.now
  }

  tick(now: number): void {
    if (this.#isDone) return
    if (now >= this.#giveUpAt) {
      this.fail(new StreamError('unanswered'))
      return
    }
    if (now < this.#nextAt || this.#count === MAX_ATTEMPTS) return
    this.#count += 1
    this.#nextAt = now + (this.#count === 1 ? SECOND_AFTER : NEXT_AFTER)
    this.#pending.add(this.#options.start())
  }

  /** Infinity once it has succeeded or failed. */
  nextDeadline(): number {
    if (this.#isDone) return Number.POSITIVE_INFINITY
    return this.#count === MAX_ATTEMPTS ? this.#giveUpAt : Math.min(this.#nextAt, this.#giveUpAt)
  }

  /** The other side refused this attempt. */
  refused(conv: number): void {
    this.#pending.delete(conv)
    this.#options.giveUp(conv, true)
    if (this.#pending.size === 0 && this.#count === MAX_ATTEMPTS) this.fail(new StreamError('refused'))
  }

  /** This attempt has opened the stream; the others are given up. */
  succeeded(conv: number): void {
    this.#giveUpOthers(conv)
  }

  fail(error: StreamError): void {
    if (this.#isDone) return
    this.#giveUpOthers()
    this.#options.onFail(error)
  }

  #giveUpOthers(winner?: number): void {
    this.#isDone = true
    for (const conv of this.#pending) if (conv !== winner) this.#options.giveUp(conv, false)
    this.#pending.clear()
  }
}
