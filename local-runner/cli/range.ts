import { ServiceError } from '#core/errors'
import type { MediaLimits } from '#core/media/config'
import { type ClipPlan, type ClipRequest, MIN_RANGE_SECONDS, planClip } from '#core/media/convert/clip'
import { FPS } from '#core/media/frames'
import { UsageError } from '../commandLine/readArguments'
import type { Options } from './parseMotionPhotoCommand'

export type RangeOptions = Pick<Options, 'start' | 'end' | 'cover' | 'speed'>
type RangeLimits = Pick<MediaLimits, 'maxClipSeconds' | 'maxInputSeconds'>

/** Length of a clip without `--end`. */
const DEFAULT_SECONDS = 3

/**
 * Refuses a range that is wrong for every video, before any work.
 * @throws UsageError
 */
export function checkRange(range: RangeOptions, limits: RangeLimits): void {
  const { maxInputSeconds, maxClipSeconds } = limits
  for (const option of ['start', 'end', 'cover'] as const) {
    if ((range[option] ?? 0) > maxInputSeconds) {
      throw new UsageError(
        `--${option} must not lie after ${maxInputSeconds} s: no more of a video is read. MAX_INPUT_SECONDS sets how much.`,
      )
    }
  }
  try {
    planRange(range, maxInputSeconds * FPS, maxClipSeconds)
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.detail) : error
  }
}

/** How much of the video must be read for the clip, in seconds; a frame more, so that its last one is whole. */
export function neededSeconds({ start, end, cover }: RangeOptions): number {
  return (Math.ceil(Math.max(end ?? start + DEFAULT_SECONDS, cover ?? 0) * FPS) + 1) / FPS
}

/**
 * The clip in frames of the preview.
 * @param frames of the preview; when it was made for this range, it is whole wherever the range goes beyond it
 * @throws ServiceError `invalid-request` naming the option that is out of range
 */
export function planRange(range: RangeOptions, frames: number, maxClipSeconds: number): ClipPlan {
  try {
    return planClip(clipRequest(range, frames), frames, maxClipSeconds)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, inOptionWords(error.detail), { cause: error })
  }
}

/**
 * Fills in the defaults: three seconds from the start or what is left of the video, and the middle of the clip as the cover.
 * @param frames of the preview
 * @throws ServiceError `invalid-request` when the start is at the end of the video or later
 */
function clipRequest({ start, end, cover, speed }: RangeOptions, frames: number): ClipRequest {
  const duration = frames / FPS
  if (end === undefined && duration - start < MIN_RANGE_SECONDS - 1e-6) throw nothingLeft(duration)
  const rangeEnd = end ?? Math.min(start + DEFAULT_SECONDS, duration)
  return {
    rangeStart: start,
    rangeEnd,
    coverTime: cover ?? (start + Math.min(rangeEnd, duration)) / 2,
    speed,
  }
}

/** A detail of the API with its fields named as they are on the command line. */
function inOptionWords(detail: string): string {
  return WORDS.reduce((text, [word, here]) => text.replaceAll(word, here), detail)
}

const WORDS = [
  ['range_start', '--start'],
  ['range_end', '--end'],
  ['cover_time', '--cover'],
  ['speed must', '--speed must'],
  ['the preview', 'the video'],
] as const

function nothingLeft(duration: number): ServiceError {
  const seconds = duration.toFixed(3)
  return new ServiceError(
    'invalid-request',
    duration < MIN_RANGE_SECONDS
      ? `The video lasts only ${seconds} s; a clip needs at least ${MIN_RANGE_SECONDS} s.`
      : `range_start must lie at least ${MIN_RANGE_SECONDS} s before the end of the preview (${seconds} s).`,
  )
}
