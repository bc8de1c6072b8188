/**
 * How many times as much may be under way as the path delivered in a round trip. Falls while packets queue on the path, and
 * rises while they do not.
 * @see docs/network/streams.md, "The KCP sender's control law"
 */
export type WindowGain = {
  readonly value: number
  /** A segment is believed lost. */
  lost(): void
  /**
   * A round trip is over.
   * @param arrived segments that arrived in it
   * @param queueing by how many milliseconds its shortest round trip was longer than the shortest known; not finite when unknown
   */
  endRound(arrived: number, queueing: number, shortest: number): void
}

/** While nothing is known, so that the limit finds its size … */
const START_GAIN = 3
/** … where there is no queue, so that the limit can grow and loss does not starve it … */
const GAIN = 2
/** … and just enough to keep the path busy where packets queue. */
const LEAST_GAIN = 1.2
const GAIN_DOWN = 0.9
const GAIN_UP = 1.05
/** More than bad paths lose by themselves: a short queue overflows. */
const MUCH_LOSS = 0.1
const OVERFLOW_DOWN = 0.8
/** After so many rounds with the least gain and still a long queue, the queue is not ours: for a while it is disregarded. */
const FOREIGN_QUEUE_ROUNDS = 8
const CONTEST_ROUNDS = 50

export function createWindowGain(): WindowGain {
  let gain = START_GAIN
  let lostInRound = 0
  let foreignRounds = 0
  let contestRounds = 0

  const lower = (factor: number) => {
    gain = Math.max(LEAST_GAIN, Math.min(GAIN, gain) * factor)
  }
  const onQueue = (queueing: number, shortest: number) => {
    const isForeign = gain === LEAST_GAIN && queueing > Math.max(15, shortest * 0.6)
    foreignRounds = isForeign ? foreignRounds + 1 : 0
    lower(GAIN_DOWN)
    if (foreignRounds < FOREIGN_QUEUE_ROUNDS) return
    foreignRounds = 0
    contestRounds = CONTEST_ROUNDS
    gain = GAIN
  }
  const onFreePath = () => {
    foreignRounds = 0
    if (gain < GAIN) gain = Math.min(GAIN, gain * GAIN_UP)
  }

  return {
    get value() {
      return gain
    },
    lost() {
      lostInRound += 1
    },
    endRound(arrived, queueing, shortest) {
      const isOverflowing = lostInRound > MUCH_LOSS * (lostInRound + arrived)
      lostInRound = 0
      if (isOverflowing) {
        lower(OVERFLOW_DOWN)
        contestRounds = 0
      } else if (contestRounds > 0) contestRounds -= 1
      else if (Number.isFinite(queueing) && queueing > Math.max(6, shortest / 8)) onQueue(queueing, shortest)
      else onFreePath()
    },
  }
}
