import { type Job, type JobKind, remove, type Schedule, startNext } from './schedule'

/** When waiting jobs will start, as far as recent ones tell. */

type Timing = {
  /** How long a job of this kind takes, in milliseconds. */
  durationMs(kind: JobKind): number
  /** How long a running job has been running, in milliseconds. */
  ranMs(id: number): number
}

/**
 * Every waiting job in the order in which they will start, if nothing else arrives.
 * @returns place: 1 for the job that starts next; waitMs: milliseconds until it starts
 */
export function forecastStarts(schedule: Schedule, timing: Timing) {
  const endings = new Map(
    schedule.running.map(({ id, kind }) => [id, Math.max(0, timing.durationMs(kind) - timing.ranMs(id))]),
  )
  const forecasts: { readonly job: Job; readonly place: number; readonly waitMs: number }[] = []
  let at = schedule
  let nowMs = 0
  for (;;) {
    for (let next = startNext(at); next; next = startNext(at)) {
      at = next.schedule
      forecasts.push({ job: next.job, place: forecasts.length + 1, waitMs: nowMs })
      endings.set(next.job.id, nowMs + timing.durationMs(next.job.kind))
    }
    const [first] = [...endings].sort(([, one], [, other]) => one - other)
    if (!first) return forecasts
    endings.delete(first[0])
    at = remove(at, first[0])
    nowMs = Math.max(nowMs, first[1])
  }
}
