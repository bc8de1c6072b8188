import type { Clock } from '../../async/clock'
import { onAbort } from '../../async/onAbort'
import { abortReason, ServiceError } from '../../errors'
import type { Client } from '../client'
import { createRecentDurations, forecastStarts } from './forecast'
import { emptySchedule, enqueue, type JobKind, lineOf, remove, type Schedule, startNext } from './schedule'

export type QueuePlace = {
  /** 1 for the job that starts next, 0 once it has started. */
  readonly place: number
  /** Expected seconds until it starts, from how long recent jobs took. */
  readonly waitSeconds: number
}

export type JobRequest = {
  readonly kind: JobKind
  readonly client: Client
  /** Withdraws the job while it waits. A job that runs has to stop by it on its own. */
  readonly signal: AbortSignal
  /** Called at once when the job has to wait, whenever its place changes, and with place 0 when it starts. */
  readonly onPlace?: ((place: QueuePlace) => void) | undefined
}

/**
 * The one queue of everything that runs ffmpeg. Thumbnails and conversions start before previews; clients take turns.
 * @see docs/decisions.md, D79
 */
export type JobQueue = {
  /**
   * @throws ServiceError `too-busy`, with the expected wait, when such a job would be refused now
   * @see docs/decisions.md, D12
   */
  mustHaveRoom(kind: JobKind, client: Client): void
  /**
   * Waits for a free slot, runs the work and frees the slot.
   * @throws ServiceError `too-busy` when too many jobs wait; the signal's reason when it aborts while the job waits; what
   *   `work` throws
   */
  run<T>(request: JobRequest, work: () => Promise<T>): Promise<T>
  /** How many jobs run and wait now. */
  count(): JobCount
}

export type JobCount = { readonly running: number; readonly waiting: number }

/**
 * How many jobs of one client may wait for each that may run; of all clients, twice as many. A page asks for dozens of
 * thumbnails at a time, so that their limit only bounds memory.
 */
const WAITING_PER_SLOT: Readonly<Record<JobKind, number>> = { thumbnail: 500, convert: 8, prepare: 8 }

/** A longer wait is not announced: until then much may change. */
const MAX_WAIT_SECONDS = 600

type Entry = JobRequest & { readonly start: () => void; place: number | undefined }

/** @param slots how many jobs run at a time */
export function createJobQueue(slots: number, clock: Pick<Clock, 'now'>): JobQueue {
  const durations = createRecentDurations()
  const waiting = new Map<number, Entry>()
  const startedAt = new Map<number, number>()
  let schedule = emptySchedule(slots)
  let lastId = 0

  const forecast = (of: Schedule) =>
    forecastStarts(of, {
      durationMs: durations.mean,
      ranMs: (id) => clock.now() - (startedAt.get(id) ?? clock.now()),
    })

  function mustHaveRoom(kind: JobKind, client: Client): void {
    if (hasRoom(schedule, kind, client)) return
    const withThis = forecast(enqueue(schedule, { id: 0, kind, client }))
    throw tooBusy(secondsOf(withThis.find(({ job }) => job.id === 0)?.waitMs))
  }

  function enter(request: JobRequest): Promise<number> {
    const { signal, kind, client } = request
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(abortReason(signal))
      mustHaveRoom(kind, client)
      lastId += 1
      const id = lastId
      const unsubscribe = onAbort(signal, () => {
        waiting.delete(id)
        schedule = remove(schedule, id)
        reject(abortReason(signal))
        startWaiting()
      })
      const start = () => {
        unsubscribe()
        resolve(id)
      }
      waiting.set(id, { ...request, start, place: undefined })
      schedule = enqueue(schedule, { id, kind, client })
      startWaiting()
    })
  }

  function startWaiting(): void {
    for (let next = startNext(schedule); next; next = startNext(schedule)) {
      schedule = next.schedule
      const { id } = next.job
      const entry = waiting.get(id)
      waiting.delete(id)
      startedAt.set(id, clock.now())
      entry?.start()
      if (entry?.place !== undefined) entry.onPlace?.({ place: 0, waitSeconds: 0 })
    }
    announcePlaces()
  }

  function announcePlaces(): void {
    if (![...waiting.values()].some(({ onPlace }) => onPlace)) return
    for (const { job, place, waitMs } of forecast(schedule)) {
      const entry = waiting.get(job.id)
      if (!entry?.onPlace || entry.place === place) continue
      entry.place = place
      entry.onPlace({ place, waitSeconds: secondsOf(waitMs) })
    }
  }

  function leave(id: number): void {
    startedAt.delete(id)
    schedule = remove(schedule, id)
    startWaiting()
  }

  return {
    mustHaveRoom,
    count: () => ({ running: schedule.running.length, waiting: waiting.size }),
    async run(request, work) {
      const id = await enter(request)
      const began = clock.now()
      try {
        const result = await work()
        durations.add(request.kind, clock.now() - began)
        return result
      } finally {
        leave(id)
      }
    },
  }
}

/** Whether one more job of this kind may wait. */
function hasRoom({ slots, waiting }: Schedule, kind: JobKind, client: Client): boolean {
  const ofKind = waiting[lineOf({ kind })].filter((job) => job.kind === kind)
  const ofClient = ofKind.filter((job) => job.client.id === client.id)
  const perSlot = WAITING_PER_SLOT[kind]
  const clientSlots = Math.min(slots, client.maxJobs ?? slots)
  return ofClient.length < perSlot * clientSlots && ofKind.length < 2 * perSlot * slots
}

function secondsOf(ms: number | undefined): number {
  return Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil((ms ?? 0) / 1000)))
}

function tooBusy(retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    'too-busy',
    `The service is busy with other videos. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}
