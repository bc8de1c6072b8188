import type { Track } from '@lantern-room/mp4'
import { presentedSeconds } from '@lantern-room/mp4/clip'
import { numberAt } from '@lantern-room/mp4/source'

/** The length of a new cut. */
const SECONDS = 3
const STEP_SECONDS = 0.5
/** A range is calm that has at most this share of the middle's bytes; less than `STILL` of the usual is a black or frozen picture. */
const CALM = 0.7
const STILL = 0.15
/** Ranges that differ by no more are alike: of these the one nearest to the middle. */
const ALIKE = 1.1

/**
 * Where the calmest seconds of a video begin, as the sizes of its coded pictures tell: what stays as it is costs no bytes. Key frames say
 * nothing of it. Nothing is decoded.
 * @returns undefined where none is much calmer than the middle
 */
export function calmestStart(track: Track): number | undefined {
  const steps = bytesOfSteps(track)
  const length = SECONDS / STEP_SECONDS
  const count = steps.length - length + 1
  if (count < 2) return undefined
  const sums = Array.from({ length: count }, (_, at) =>
    steps.slice(at, at + length).reduce((sum, bytes) => sum + bytes, 0),
  )
  const usual = [...sums].sort((a, b) => a - b)[Math.floor(count / 2)] ?? 0
  const middle = Math.floor((count - 1) / 2)
  const moving = sums.map((sum) => (sum < usual * STILL ? Number.POSITIVE_INFINITY : sum))
  const least = Math.min(...moving)
  if (!(least <= (sums[middle] ?? 0) * CALM)) return undefined
  const alike = moving.flatMap((sum, at) => (sum <= least * ALIKE ? [at] : []))
  const nearest = alike.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]
  return nearest === undefined ? undefined : nearest * STEP_SECONDS
}

/** Bytes of the pictures but the key frames of each half second. */
function bytesOfSteps(track: Track): number[] {
  const { samples } = track
  const times = presentedSeconds(track)
  const steps = new Array<number>(Math.floor(track.durationSeconds / STEP_SECONDS)).fill(0)
  for (let sample = 0; sample < samples.count; sample += 1) {
    const step = Math.floor(numberAt(times, sample) / STEP_SECONDS)
    const before = steps[step]
    if (before !== undefined && samples.sync[sample] !== 1) {
      steps[step] = before + (samples.sizes[sample] ?? 0)
    }
  }
  return steps
}
