import { ServiceError } from '@lantern-room/base'
import type { MediaLimits } from '#media/config'
import { FPS } from '#media/frames'
import type { Window } from '#media/preview/window'
import type { Preview } from '#media/traits'
import { type ClipPlan, type ClipRequest, MIN_RANGE_SECONDS, planClip, WALLPAPER_SECONDS } from './clip'

/** The photo to make of a whole upload in one go: times in seconds of the upload, speed as a multiplier of playback. */
export type PhotoRange = Omit<ClipRequest, 'end' | 'cover'> & {
  /** Its end, in seconds of the upload. @default three seconds after the start, for a wallpaper as long as one may be; or what is left of the upload */
  readonly end: number | undefined
  /** Whether an end after the upload's means the upload's, and a cover after it the last one. @default it is refused */
  readonly mayEndEarlier?: boolean | undefined
  /** The moment of the cover, alike. @default the middle of the clip */
  readonly cover: number | undefined
}

type RangeLimits = Pick<MediaLimits, 'maxClipSeconds' | 'maxInputSeconds'>

const DEFAULT_SECONDS = 3

/** The end of a range, which may lie after the upload's. */
export function endOf({ start, end, speed, wallpaper }: PhotoRange): number {
  return end ?? start + (wallpaper ? WALLPAPER_SECONDS[1] * speed : DEFAULT_SECONDS)
}

/**
 * Refuses a range that is wrong for every upload, before any work.
 * @throws ServiceError `invalid-request` naming the field
 * @example checkPhotoRange({ start: 1, end: 4, cover: 2, speed: 1 }, limits)
 */
export function checkPhotoRange(range: PhotoRange, { maxClipSeconds, maxInputSeconds }: RangeLimits): void {
  const { start, end, cover } = range
  if ((cover ?? 0) < 0)
    throw new ServiceError('invalid-request', (nameOf) => `${nameOf('cover_time')} must be 0 or more.`)
  if (end !== undefined && end - start > maxInputSeconds + 1e-6) {
    throw new ServiceError(
      'invalid-request',
      (nameOf) =>
        `${nameOf('range_end')} must be at most ${maxInputSeconds} s after ${nameOf('range_start')}. Choose a shorter range.`,
    )
  }
  planClip(clipRequest(range, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY, maxClipSeconds)
}

/** The part of the upload that is needed; a frame more, which shows whether the upload goes on after the range. */
export function neededWindow(range: PhotoRange): Window {
  return {
    from: range.start,
    to: (Math.ceil(endOf(range) * FPS) + 1) / FPS,
    mustFit: false,
  }
}

/**
 * The clip in frames of the upload.
 * @param preview of the window that was needed
 * @param maxFrames that it could have had
 * @throws ServiceError `out-of-range` naming the field that does not lie inside the upload
 */
export function planPhoto(
  range: PhotoRange,
  preview: Pick<Preview, 'frames' | 'sourceSeconds'> & { readonly original: { readonly firstFrame: number } },
  maxFrames: number,
  maxClipSeconds: number,
): ClipPlan {
  const total = totalFrames(preview, maxFrames)
  const last = range.mayEndEarlier ? total / FPS : Number.POSITIVE_INFINITY
  const earlier = (time: number | undefined) => (time === undefined ? undefined : Math.min(time, last))
  const within = { ...range, end: earlier(range.end), cover: earlier(range.cover) }
  try {
    return planClip(clipRequest(within, total), total, maxClipSeconds)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    // Not `invalid-request`: the file is not to blame, and another range of it may be asked for.
    throw new ServiceError('out-of-range', (nameOf) =>
      error.detailIn((word) => (word === 'the preview' ? 'the video' : nameOf(word))),
    )
  }
}

/** Frames of the whole upload at 30 a second. A preview that is shorter than it could be has ended with the upload. */
export function totalFrames(
  { frames, sourceSeconds, original: { firstFrame } }: Parameters<typeof planPhoto>[1],
  maxFrames: number,
): number {
  const end = firstFrame + frames
  if (frames < maxFrames) return end
  return sourceSeconds === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(end, Math.round(sourceSeconds * FPS))
}

/**
 * Fills in the defaults.
 * @throws ServiceError `invalid-request` when the start is at the end of the video or later
 */
function clipRequest(range: PhotoRange, frames: number): ClipRequest {
  const { start, end, cover } = range
  const duration = frames / FPS
  if (end === undefined && duration - start < MIN_RANGE_SECONDS - 1e-6) throw nothingLeft(duration)
  const until = end ?? Math.min(endOf(range), duration)
  return { ...range, end: until, cover: cover ?? (start + Math.min(until, duration)) / 2 }
}

function nothingLeft(duration: number): ServiceError {
  const seconds = duration.toFixed(3)
  return new ServiceError(
    'invalid-request',
    duration < MIN_RANGE_SECONDS
      ? `The video lasts only ${seconds} s; a clip needs at least ${MIN_RANGE_SECONDS} s.`
      : (nameOf) =>
          `${nameOf('range_start')} must lie at least ${MIN_RANGE_SECONDS} s before the end of ${nameOf('the preview')} (${seconds} s).`,
  )
}
