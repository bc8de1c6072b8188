import { abortReason, ServiceError } from '../errors'

export type JobSlots = {
  /** True when a new job would be refused now. */
  isFull(): boolean
  /**
   * Waits for a turn, runs the work, gives the turn back.
   * @throws ServiceError `too-busy` when too many wait already; the signal's reason when it aborts while waiting
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** Bounds the work done at a time, in the order of arrival. */
export function createJobSlots({ running, waiting }: { running: number; waiting: number }): JobSlots {
  let active = 0
  const queue: (() => void)[] = []

  function enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(abortReason(signal))
    if (active < running) {
      active += 1
      return Promise.resolve()
    }
    if (queue.length >= waiting) return Promise.reject(tooBusy())
    return new Promise((resolve, reject) => {
      const turn = () => {
        signal.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(turn), 1)
        reject(abortReason(signal))
      }
      signal.addEventListener('abort', leave, { once: true })
      queue.push(turn)
    })
  }

  /** Whoever leaves hands the turn to the next in line, so `active` does not change then. */
  function exit(): void {
    const next = queue.shift()
    if (next) next()
    else active -= 1
  }

  return {
    isFull: () => active >= running && queue.length >= waiting,
    async run(signal, work) {
      await enter(signal)
      try {
        return await work()
      } finally {
        exit()
      }
    },
  }
}

export function tooBusy(): ServiceError {
  return new ServiceError('too-busy', 'The service is busy with other videos. Try again in a few seconds.')
}
