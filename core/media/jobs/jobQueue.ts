import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import type { Client } from '@lantern-room/clients'
import { forecastStarts } from './forecast'
import { emptySchedule, enqueue, type JobKind, lineOf, remove, type Schedule, startNext } from './schedule'

export type QueuePlace = {
  /** 1 for the job that starts next. */
  readonly place: number
  /** Expected seconds until it starts, from how long recent jobs took. */
  readonly waitSeconds: number
}

export type JobRequest = {
  readonly kind: JobKind
  readonly client: Client
  /** Withdraws the job while it waits. A job that runs has to stop by it on its own. */
  readonly signal: AbortSignal
  /** Called at once when the job has to wait, and whenever its place changes. @default nothing is called */
  readonly onPlace?: ((place: QueuePlace) => void) | undefined
}

export type JobCount = {
  readonly running: number
  readonly waiting: number
  /** Those of each client that has a name, in the order of their first jobs. */
  readonly byClient: ReadonlyMap<string, { readonly running: number; readonly waiting: number }>
}

/**
 * How many jobs of one client may wait for each that may run; of all clients without names, twice as many. A page asks for dozens of
 * thumbnails at a time, so that their limit only bounds memory.
 */
const WAITING_PER_SLOT: Readonly<Record<JobKind, number>> = { thumbnail: 500, convert: 8, prepare: 8 }

/** A longer wait is not announced: until then much may change. */
const MAX_WAIT_SECONDS = 600

/** How long a job takes, in milliseconds, until jobs of its kind have been measured. */
const FIRST_GUESS: Readonly<Record<JobKind, number>> = { thumbnail: 200, convert: 2000, prepare: 10_000 }

/** Weight of the newest duration in the mean: about the last eight jobs count. */
const NEWEST = 0.2

type Entry = JobRequest & { readonly start: () => void; place: number | undefined }

/**
 * The one queue of everything that runs ffmpeg. Thumbnails and conversions start before previews; clients take turns.
 * @see docs/decisions.md, D79
 */
export class JobQueue {
  readonly #clock: Pick<Clock, 'now'>
  readonly #meanMs = { ...FIRST_GUESS }
  readonly #waiting = new Map<number, Entry>()
  readonly #startedAt = new Map<number, number>()
  #schedule: Schedule
  #lastId = 0

  /** @param slots how many jobs run at a time */
  constructor(slots: number, clock: Pick<Clock, 'now'>) {
    this.#schedule = emptySchedule(slots)
    this.#clock = clock
  }

  /**
   * @throws ServiceError `too-busy`, with the expected wait, when such a job would be refused now
   * @see docs/decisions.md, D12
   */
  mustHaveRoom(kind: JobKind, client: Client): void {
    if (hasRoom(this.#schedule, kind, client)) return
    const withThis = this.#forecast(enqueue(this.#schedule, { id: 0, kind, client }))
    const retryAfterSeconds = secondsOf(withThis.find(({ job }) => job.id === 0)?.waitMs)
    throw new ServiceError(
      'too-busy',
      `The service is busy with other videos. Try again in ${retryAfterSeconds} s.`,
      { retryAfterSeconds },
    )
  }

  /**
   * Waits for a free slot, runs the work and frees the slot.
   * @throws ServiceError `too-busy` when too many jobs wait; the signal's reason when it aborts while the job waits; what
   *   `work` throws
   */
  async run<T>(request: JobRequest, work: () => Promise<T>): Promise<T> {
    const { kind } = request
    const id = await this.#enter(request)
    const began = this.#clock.now()
    try {
      const result = await work()
      this.#meanMs[kind] += (this.#clock.now() - began - this.#meanMs[kind]) * NEWEST
      return result
    } finally {
      this.#startedAt.delete(id)
      this.#leave(id)
    }
  }

  /** Whether a preview would start at once. */
  hasFreeSlot(): boolean {
    return this.#schedule.running.length + this.#waiting.size < this.#schedule.slots
  }

  /** How many jobs run and wait now. */
  count(): JobCount {
    const { running } = this.#schedule
    const waiting = [...this.#waiting.values()]
    const names = new Set([...running, ...waiting].flatMap(({ client }) => client.name ?? []))
    const countOf = (name: string) => ({
      running: running.filter(({ client }) => client.name === name).length,
      waiting: waiting.filter(({ client }) => client.name === name).length,
    })
    return {
      running: running.length,
      waiting: waiting.length,
      byClient: new Map([...names].map((name) => [name, countOf(name)])),
    }
  }

  #enter(request: JobRequest): Promise<number> {
    const { signal, kind, client } = request
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      this.mustHaveRoom(kind, client)
      this.#lastId += 1
      const id = this.#lastId
      const unsubscribe = onAbort(signal, () => {
        this.#waiting.delete(id)
        reject(signal.reason)
        this.#leave(id)
      })
      const start = () => {
        unsubscribe()
        resolve(id)
      }
      this.#waiting.set(id, { ...request, start, place: undefined })
      this.#schedule = enqueue(this.#schedule, { id, kind, client })
      this.#startWaiting()
    })
  }

  #leave(id: number): void {
    this.#schedule = remove(this.#schedule, id)
    this.#startWaiting()
  }

  #startWaiting(): void {
    for (let next = startNext(this.#schedule); next; next = startNext(this.#schedule)) {
      this.#schedule = next.schedule
      const { id } = next.job
      this.#startedAt.set(id, this.#clock.now())
      this.#waiting.get(id)?.start()
      this.#waiting.delete(id)
    }
    this.#announcePlaces()
  }

  #announcePlaces(): void {
    if (![...this.#waiting.values()].some(({ onPlace }) => onPlace)) return
    for (const { job, place, waitMs } of this.#forecast(this.#schedule)) {
      const entry = this.#waiting.get(job.id)
      if (!entry?.onPlace || entry.place === place) continue
      entry.place = place
      entry.onPlace({ place, waitSeconds: secondsOf(waitMs) })
    }
  }

  #forecast(schedule: Schedule) {
    const nowMs = this.#clock.now()
    return forecastStarts(schedule, {
      durationMs: (kind) => this.#meanMs[kind],
      ranMs: (id) => nowMs - (this.#startedAt.get(id) ?? nowMs),
    })
  }
}

/** Whether one more job of this kind may wait. Clients with names are few, and those without cannot take their room. */
function hasRoom({ slots, waiting }: Schedule, kind: JobKind, client: Client): boolean {
  const ofKind = waiting[lineOf({ kind })].filter((job) => job.kind === kind)
  const ofClient = ofKind.filter((job) => job.client.id === client.id)
  const perSlot = WAITING_PER_SLOT[kind]
  const clientSlots = Math.min(slots, client.maxJobs ?? slots)
  if (ofClient.length >= perSlot * clientSlots) return false
  const ofUnnamed = ofKind.filter((job) => job.client.name === undefined)
  return client.name !== undefined || ofUnnamed.length < 2 * perSlot * slots
}

function secondsOf(ms: number | undefined): number {
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil((ms ?? 0) / 1000)))
}
