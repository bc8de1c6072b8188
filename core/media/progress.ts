import { z } from 'zod'

/** How far the preparation of a video is. */
export type PrepareProgress =
  | {
      readonly stage: 'receiving'
      /** Bytes of the file so far. */
      readonly receivedBytes: number
      /** Bytes of the whole body; undefined when the client does not say. */
      readonly totalBytes: number | undefined
    }
  | {
      readonly stage: 'queued'
      /** 1 for the job that starts next. */
      readonly place: number
      readonly waitSeconds: number
    }
  | { readonly stage: 'reading' }
  | {
      readonly stage: 'preparing'
      /** 0 to 1. */
      readonly share: number
    }
  | { readonly stage: 'storing' }

/** Must not throw. It may be called often: the caller limits how often progress is sent. */
export type OnProgress = (progress: PrepareProgress) => void

/** Progress as clients see it. Unknown values are left out. */
export const shownProgress = z.object({
  stage: z.enum(['receiving', 'queued', 'reading', 'preparing', 'storing']),
  percent: z.number().optional().meta({ description: 'Of the stage, 0 to 100.' }),
  seconds_left: z.number().optional().meta({ description: 'Until the end of the stage, estimated.' }),
  place: z.int().optional().meta({ description: 'In the queue: 1 starts next.' }),
  received_bytes: z.int().optional(),
})
export type ShownProgress = z.infer<typeof shownProgress>

/** At most so often, in milliseconds, while neither the stage nor the place changes. */
const INTERVAL_MS = 250
/** Before that share an estimate would be a guess. */
const ESTIMATE_FROM = 0.03

/**
 * Turns progress into what is shown of it.
 * @param now monotonic milliseconds
 * @returns a function whose result is undefined when too little has changed since the last one
 */
export function createProgressMeter(
  now: () => number,
): (progress: PrepareProgress) => ShownProgress | undefined {
  let stage: string | undefined
  let beganAt = 0
  let shownAt = 0
  return (progress) => {
    const key = progress.stage === 'queued' ? `queued ${progress.place}` : progress.stage
    const isNew = key !== stage
    if (isNew) {
      stage = key
      beganAt = now()
    } else if (now() - shownAt < INTERVAL_MS) return undefined
    shownAt = now()
    return show(progress, (now() - beganAt) / 1000)
  }
}

/** @param seconds since the stage began */
function show(progress: PrepareProgress, seconds: number): ShownProgress {
  const { stage } = progress
  if (stage === 'queued') return { stage, place: progress.place, seconds_left: progress.waitSeconds }
  if (stage === 'preparing') return { stage, ...ofShare(progress.share, seconds) }
  if (stage !== 'receiving') return { stage }
  const { receivedBytes, totalBytes } = progress
  const share = totalBytes ? ofShare(Math.min(1, receivedBytes / totalBytes), seconds) : {}
  return { stage, received_bytes: receivedBytes, ...share }
}

function ofShare(share: number, seconds: number): Pick<ShownProgress, 'percent' | 'seconds_left'> {
  const percent = Math.round(share * 1000) / 10
  if (share < ESTIMATE_FROM) return { percent }
  return { percent, seconds_left: Math.round((seconds * (1 - share)) / share) }
}
