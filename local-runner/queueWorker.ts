import { describeError, type Log } from '@lantern-room/base'
import { type Clock, sleep } from '@lantern-room/base/async'
import { HOLD_SECONDS } from '@lantern-room/media'
import type { MessageQueue, QueueMessage } from '@lantern-room/media/ports'

/** What a host has seen of its queue. */
export type QueueFigures = {
  /** How long the message that was taken last had waited; 0 when there was none. */
  readonly waitSeconds: number
  /** How many messages have ended in which way. */
  readonly outcomes: ReadonlyMap<string, number>
}

type QueueWorkerParts = {
  readonly queue: MessageQueue
  /** Prepares what a message names. @throws when it has to be delivered again, as what has not begun when `draining` aborts */
  readonly take: (message: QueueMessage, draining: AbortSignal) => Promise<string>
  /** Whether what a message names would start at once. */
  readonly hasFreeSlot: () => boolean
  readonly clock: Clock
  readonly log: Log
}

/** As long as SQS waits at most. */
const WAIT_SECONDS = 20
/** Until a host whose slots are taken looks again. */
const BUSY_MS = 500
/** After each failure in a row the pause is twice as long. */
const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 30_000

/** Takes messages from a queue that hosts share, each when there is a free slot for it, so that no host hoards what another could do. */
export class QueueWorker {
  readonly #parts: QueueWorkerParts
  readonly #outcomes = new Map<string, number>()
  #waitSeconds = 0

  constructor(parts: QueueWorkerParts) {
    this.#parts = parts
  }

  get figures(): QueueFigures {
    return { waitSeconds: this.#waitSeconds, outcomes: this.#outcomes }
  }

  /**
   * @param lanes how many messages are worked on at a time
   * @param draining ends it: no further message is taken
   * @returns resolves when the messages that were taken have ended. Never rejects
   */
  async work(lanes: number, draining: AbortSignal): Promise<void> {
    await Promise.all(Array.from({ length: lanes }, () => this.#lane(draining)))
  }

  async #lane(draining: AbortSignal): Promise<void> {
    const { clock, log, hasFreeSlot } = this.#parts
    let failures = 0
    while (!draining.aborted) {
      try {
        if (hasFreeSlot()) await this.#next(draining)
        else await sleep(clock, BUSY_MS, draining)
        failures = 0
      } catch (error) {
        if (draining.aborted) return
        if (failures === 0) log.warn('the queue cannot be read', { cause: describeError(error) })
        failures += 1
        const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
        await sleep(clock, pauseMs, draining).catch(() => undefined)
      }
    }
  }

  async #next(draining: AbortSignal): Promise<void> {
    const { queue, clock } = this.#parts
    const message = await queue.receive({
      waitSeconds: WAIT_SECONDS,
      holdSeconds: HOLD_SECONDS,
      signal: draining,
    })
    this.#waitSeconds = message ? Math.max(0, (clock.unixTime() - message.sentMs) / 1000) : 0
    if (message) await this.#handle(message, draining)
  }

  async #handle(message: QueueMessage, draining: AbortSignal): Promise<void> {
    const { take, log, clock } = this.#parts
    const startedAt = clock.now()
    const ended = await take(message, draining).catch((error: unknown) => {
      log.warn('a message of the queue comes again', { count: message.count, cause: describeError(error) })
      return undefined
    })
    this.#outcomes.set(ended ?? 'again', (this.#outcomes.get(ended ?? 'again') ?? 0) + 1)
    if (ended === undefined) return
    log.info('taken from the queue', { ended, took_ms: Math.round(clock.now() - startedAt) })
    // If it stays, it is given once more, and found to be done.
    await message
      .remove()
      .catch((error: unknown) =>
        log.warn('a message of the queue was not removed', { cause: describeError(error) }),
      )
  }
}
