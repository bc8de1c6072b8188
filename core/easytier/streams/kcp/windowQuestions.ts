const ASK_READ_EVERY = 20
const ASK_CLOSED_FIRST = 200
const ASK_CLOSED_LATER = 2000

/**
 * Why the other side is to be asked for its window.
 * `shut-out`: it is closed, and nothing is outstanding whose acknowledgement would bring a new one.
 * `unread`: all has arrived, and we want to know when it has been read.
 */
export type AskReason = 'shut-out' | 'unread' | undefined

/** When to ask the other side for its window. */
export class WindowQuestions {
  #next = Number.POSITIVE_INFINITY
  #closedWait = ASK_CLOSED_FIRST

  /** When the next question is due; Infinity for never. */
  get next(): number {
    return this.#next
  }

  /** The other side has announced a window that is not closed. */
  opened(): void {
    this.#closedWait = ASK_CLOSED_FIRST
  }

  plan(now: number, reason: AskReason): void {
    if (reason === undefined) this.#next = Number.POSITIVE_INFINITY
    else if (this.#next === Number.POSITIVE_INFINITY) {
      this.#next = reason === 'shut-out' ? now + this.#closedWait : now
    }
  }

  asked(now: number, reason: AskReason): void {
    if (reason === 'shut-out') {
      this.#closedWait = Math.min(this.#closedWait * 1.5, ASK_CLOSED_LATER)
      this.#next = now + this.#closedWait
    } else this.#next = now + ASK_READ_EVERY
  }
}
