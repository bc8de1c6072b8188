import type { Client } from '@lantern-room/clients'

/** Which job starts next. Pure: `jobQueue.ts` starts and ends the jobs. */

export type JobKind = 'thumbnail' | 'convert' | 'prepare'

export type Job = { readonly id: number; readonly kind: JobKind; readonly client: Client }

/** Quick jobs start before slow ones. */
type Line = 'quick' | 'slow'

type WaitingJob = Job & { readonly round: number }

export type Schedule = {
  /** How many jobs run at a time. */
  readonly slots: number
  readonly running: readonly Job[]
  /** By round, and within a round by arrival. */
  readonly waiting: Readonly<Record<Line, readonly WaitingJob[]>>
  /** The round of the job that started last. */
  readonly round: Readonly<Record<Line, number>>
  /** Quick jobs that have started since a slow one could have. */
  readonly passedOver: number
}

/** So many quick jobs start while a slow one waits and could start; then it is its turn. */
export const MAX_PASSED_OVER = 8

export function emptySchedule(slots: number): Schedule {
  return {
    slots,
    running: [],
    waiting: { quick: [], slow: [] },
    round: { quick: 0, slow: 0 },
    passedOver: 0,
  }
}

/**
 * Lets a job wait. The rounds make the clients of a line take turns: each has at most one job in a round, so that a client
 * with many jobs delays each job of another client by one. Rounds only grow, so that every job gets its turn.
 * @see Goyal, Vin, Cheng: "Start-time Fair Queueing" (1996), whose start tags these are, at one unit per job
 */
export function enqueue(schedule: Schedule, job: Job): Schedule {
  const line = lineOf(job)
  const waiting = schedule.waiting[line]
  const last = waiting.findLast(({ client }) => client.id === job.client.id)
  const round = Math.max(schedule.round[line], last?.round ?? 0) + 1
  const index = waiting.findIndex((other) => other.round > round)
  const place = index < 0 ? waiting.length : index
  const longer = waiting.toSpliced(place, 0, { ...job, round })
  return { ...schedule, waiting: { ...schedule.waiting, [line]: longer } }
}

/** The next job that may start now, moved to the running ones. @returns undefined when none may */
export function startNext(
  schedule: Schedule,
): { readonly job: Job; readonly schedule: Schedule } | undefined {
  const quick = mayStart(schedule, 'quick') ? firstAllowed(schedule, 'quick') : undefined
  const slow = mayStart(schedule, 'slow') ? firstAllowed(schedule, 'slow') : undefined
  if (quick && !(slow && schedule.passedOver >= MAX_PASSED_OVER)) {
    return start(schedule, quick, slow ? schedule.passedOver + 1 : schedule.passedOver)
  }
  return slow && start(schedule, slow, 0)
}

/** Removes a job that has ended, or was withdrawn while it waited. */
export function remove(schedule: Schedule, id: number): Schedule {
  const without = <T extends Job>(jobs: readonly T[]) => jobs.filter((job) => job.id !== id)
  const { quick, slow } = schedule.waiting
  return {
    ...schedule,
    running: without(schedule.running),
    waiting: { quick: without(quick), slow: without(slow) },
  }
}

export function lineOf({ kind }: Pick<Job, 'kind'>): Line {
  return kind === 'prepare' ? 'slow' : 'quick'
}

/** One quick job runs beside slow ones that take all slots: a page waits for it, and slow ones may take minutes. */
function mayStart({ running, slots }: Schedule, line: Line): boolean {
  if (running.length < slots) return true
  return line === 'quick' && running.length === slots && running.every((job) => lineOf(job) === 'slow')
}

function firstAllowed({ waiting, running }: Schedule, line: Line): WaitingJob | undefined {
  return waiting[line].find(({ client }) => {
    if (client.maxJobs === undefined) return true
    return running.filter((job) => job.client.id === client.id).length < client.maxJobs
  })
}

function start(schedule: Schedule, job: WaitingJob, passedOver: number) {
  const line = lineOf(job)
  const rest = remove(schedule, job.id)
  const round = { ...schedule.round, [line]: Math.max(schedule.round[line], job.round) }
  return { job, schedule: { ...rest, running: [...rest.running, job], round, passedOver } }
}
