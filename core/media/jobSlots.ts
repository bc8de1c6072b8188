import { onAbort } from '../async/onAbort'
import { abortReason, ServiceError } from '../errors'
import type { MediaLimits } from './config'

export type JobSlots = {
  /** True when a new job would be refused now. */
  isFull(): boolean
  /**
   * Waits for a free slot, runs the work and frees the slot.
   * @throws ServiceError `too-busy` when the queue is full; the signal's reason when it aborts while waiting
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>
}

/** How many jobs may wait for each that runs, before the next is refused. */
const WAITING_PER_SLOT = 8

/** The slots that preparing and converting share. */
export function createMediaJobs({ maxConcurrentJobs }: Pick<MediaLimits, 'maxConcurrentJobs'>): JobSlots {
  return createJobSlots({ running: maxConcurrentJobs, waiting: maxConcurrentJobs * WAITING_PER_SLOT })
}

/** Bounds how much work is done at a time, in the order of arrival. */
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
      const start = () => {
        unsubscribe()
        resolve()
      }
      const unsubscribe = onAbort(signal, () => {
        queue.splice(queue.indexOf(start), 1)
        reject(abortReason(signal))
      })
      queue.push(start)
    })
  }

  /** Hands the slot to the first in the queue, in which case `active` stays the same. */
  function leave(): void {
    const startNext = queue.shift()
    if (startNext) startNext()
    else active -= 1
  }

  return {
    isFull: () => active >= running && queue.length >= waiting,
    async run(signal, work) {
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

export function tooBusy(): ServiceError {
  return new ServiceError('too-busy', 'The service is busy with other videos. Try again in a few seconds.')
}
