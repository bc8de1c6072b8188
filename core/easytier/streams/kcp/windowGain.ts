/** The gain while nothing is known, so that the limit finds its size. */
const START_GAIN = 3
/** The gain without a queue: the limit can grow, and loss does not starve it. */
const GAIN = 2
/** The gain where packets queue: just enough to keep the path busy. */
const LEAST_GAIN = 1.2
const GAIN_DOWN = 0.9
const GAIN_UP = 1.05
/** In a round with a stall nothing is known about queues; only the gain of the start goes down. */
const STALL_DOWN = 0.95
/** The round in which a stall ends, and the next, in which arrives what was sent before its end. */
const STALL_ROUNDS = 2
/** More than bad paths lose by themselves: a short queue overflows. */
const MUCH_LOSS = 0.1
const OVERFLOW_DOWN = 0.8
/** After so many rounds with the least gain and still a long queue, the queue is not ours: for a while it is disregarded. */
const FOREIGN_QUEUE_ROUNDS = 8
const CONTEST_ROUNDS = 50

/**
 * How many times as much may be under way as the path delivered in a round trip. Falls while packets queue on the path, and
 * rises while they do not.
 * @see docs/network/streams.md, "The KCP sender's control law"
 */
export class WindowGain {
  #gain = START_GAIN
  #lostInRound = 0
  #stalledRounds = 0
  #foreignRounds = 0
  #contestRounds = 0

  get value(): number {
    return this.#gain
  }

  lost(): void {
    this.#lostInRound += 1
  }

  /** Nothing has arrived for a while, as where a TCP connection on the path repairs a loss: all behind it waits, and not in a queue. */
  stalled(): void {
    this.#stalledRounds = STALL_ROUNDS
  }

  /**
   * A round trip is over.
   * @param arrived segments that arrived in it
   * @param queueing by how many milliseconds its shortest round trip was longer than the shortest known; not finite when unknown
   */
  endRound(arrived: number, queueing: number, shortest: number): void {
    const isOverflowing = this.#lostInRound > MUCH_LOSS * (this.#lostInRound + arrived)
    const isStalled = this.#stalledRounds > 0
    if (isStalled) this.#stalledRounds -= 1
    this.#lostInRound = 0
    if (isOverflowing) {
      this.#lower(OVERFLOW_DOWN)
      this.#contestRounds = 0
    } else if (this.#contestRounds > 0) this.#contestRounds -= 1
    else if (!Number.isFinite(queueing) || queueing <= Math.max(6, shortest / 8)) this.#onFreePath()
    else if (!isStalled) this.#onQueue(queueing, shortest)
    else if (this.#gain > GAIN) this.#gain = Math.max(GAIN, this.#gain * STALL_DOWN)
  }

  #lower(factor: number): void {
    this.#gain = Math.max(LEAST_GAIN, Math.min(GAIN, this.#gain) * factor)
  }

  #onQueue(queueing: number, shortest: number): void {
    const isForeign = this.#gain === LEAST_GAIN && queueing > Math.max(15, shortest * 0.6)
    this.#foreignRounds = isForeign ? this.#foreignRounds + 1 : 0
    this.#lower(GAIN_DOWN)
    if (this.#foreignRounds < FOREIGN_QUEUE_ROUNDS) return
    this.#foreignRounds = 0
    this.#contestRounds = CONTEST_ROUNDS
    this.#gain = GAIN
  }

  #onFreePath(): void {
    this.#foreignRounds = 0
    if (this.#gain < GAIN) this.#gain = Math.min(GAIN, this.#gain * GAIN_UP)
  }
}
