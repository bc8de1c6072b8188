import { KCP_WINDOW } from './segments'

/** The other side's window before it has announced one. */
const FIRST_WINDOW = 128
/** The window of real nodes. */
const REAL_WINDOW = 1024
const ASK_READ_EVERY = 20
const ASK_CLOSED_FIRST = 200
const ASK_CLOSED_LATER = 2000

/**
 * Why the other side is to be asked for its window.
 * `shut-out`: it is closed, and nothing is outstanding whose acknowledgement would bring a new one.
 * `unread`: all has arrived, and we want to know when it has been read.
 */
export type AskReason = 'shut-out' | 'unread' | undefined

/** The other side's window, and when to ask for it. */
export class PeerWindow {
  #size = FIRST_WINDOW
  /** What it announces while it holds nothing. */
  #full = REAL_WINDOW
  #isKnown = false
  #nextQuestion = Number.POSITIVE_INFINITY
  #closedWait = ASK_CLOSED_FIRST

  /** Segments that the other side takes, as last announced. */
  get size(): number {
    return this.#size
  }

  /** Whether the other side holds nothing unread, as far as its window shows. */
  get isEmpty(): boolean {
    return !this.#isKnown || this.#size >= this.#full
  }

  /** Whether the other side takes more than real nodes do: it runs this program. */
  get isOfOurs(): boolean {
    return this.#full > REAL_WINDOW
  }

  /** When the next question is due; Infinity for never. */
  get nextQuestion(): number {
    return this.#nextQuestion
  }

  announced(size: number): void {
    this.#size = size
    if (size > REAL_WINDOW) this.#full = KCP_WINDOW
    this.#isKnown = true
    if (size > 0) this.#closedWait = ASK_CLOSED_FIRST
  }

  planQuestion(now: number, reason: AskReason): void {
    if (reason === undefined) this.#nextQuestion = Number.POSITIVE_INFINITY
    else if (this.#nextQuestion === Number.POSITIVE_INFINITY) {
      this.#nextQuestion = reason === 'shut-out' ? now + this.#closedWait : now
    }
  }

  asked(now: number, reason: AskReason): void {
    if (reason === 'shut-out') {
      this.#closedWait = Math.min(this.#closedWait * 1.5, ASK_CLOSED_LATER)
      this.#nextQuestion = now + this.#closedWait
    } else this.#nextQuestion = now + ASK_READ_EVERY
  }
}
