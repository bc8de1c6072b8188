import { ServiceError, type Wording } from '@lantern-room/base'
import { FPS, frameAt } from '#media/frames'
import type { ClipFrames } from '../clip/encodeClipArgs'
import type { Clip } from '../clip/makeClip'

/** A client's request: times in seconds, speed as a multiplier of playback. */
export type ClipRequest = {
  readonly start: number
  readonly end: number
  readonly cover: number
  readonly speed: number
  /** How often the range is played. @default 1 */
  readonly repeat?: number | undefined
  /** Whether the clip has to be as long as one that moves on a lock screen. @default false */
  readonly wallpaper?: boolean | undefined
}

/** The requested clip in frames of the preview. */
export type ClipPlan = ClipFrames & {
  /** Frame of the preview that becomes the cover. */
  readonly coverFrame: number
}

export const MIN_SPEED = 0.1
export const MAX_SPEED = 10
export const MAX_REPEAT = 100
export const MIN_RANGE_SECONDS = 0.1

/** Of a wallpaper, at least and at most. @see docs/motion-photo.md, "Wallpaper" */
export const WALLPAPER_SECONDS = [1.5, 2] as const

/** Rounding by clients is tolerated: up to one frame past the end counts as the end. */
const TOLERANCE = 1 / FPS + 1e-6

/**
 * @param previewFrames frames of the session's preview
 * @throws ServiceError `invalid-request` naming the field that is out of range
 */
export function planClip(request: ClipRequest, previewFrames: number, maxClipSeconds: number): ClipPlan {
  const { start, end, cover, speed, repeat = 1, wallpaper = false } = request
  const duration = previewFrames / FPS
  checkRequest(request, duration)
  const until = Math.min(end, duration)
  const clipSeconds = (repeat * (until - start)) / speed
  refuseUnless(
    clipSeconds <= maxClipSeconds + TOLERANCE,
    `The clip would last ${clipSeconds.toFixed(1)} s; at most ${maxClipSeconds} s are allowed. Choose a shorter range${repeat > 1 ? ', fewer repeats' : ''} or a higher speed.`,
  )
  if (wallpaper) checkWallpaper(clipSeconds)
  const startFrame = Math.min(frameAt(start), previewFrames - 1)
  const sourceFrames = Math.max(1, Math.min(Math.round((until - start) * FPS), previewFrames - startFrame))
  return {
    startFrame,
    sourceFrames,
    clipFrames: Math.max(1, Math.round(clipSeconds * FPS)),
    speed,
    ...(repeat > 1 && { repeat }),
    coverFrame: Math.min(Math.max(frameAt(cover), startFrame), startFrame + sourceFrames - 1),
  }
}

/** @param duration of the preview, in seconds */
function checkRequest({ start, end, cover, speed, repeat = 1 }: ClipRequest, duration: number): void {
  const shown = duration.toFixed(3)
  refuseUnless(start >= 0, (nameOf) => `${nameOf('range_start')} must be 0 or more.`)
  refuseUnless(
    end <= duration + TOLERANCE,
    (nameOf) => `${nameOf('range_end')} must not lie after the end of ${nameOf('the preview')} (${shown} s).`,
  )
  refuseUnless(start < end, (nameOf) => `${nameOf('range_start')} must be less than ${nameOf('range_end')}.`)
  refuseUnless(
    end - start >= MIN_RANGE_SECONDS - 1e-6,
    (nameOf) =>
      `${nameOf('range_end')} must be at least ${MIN_RANGE_SECONDS} s after ${nameOf('range_start')}.`,
  )
  refuseUnless(
    speed >= MIN_SPEED && speed <= MAX_SPEED,
    (nameOf) => `${nameOf('speed')} must be from ${MIN_SPEED} to ${MAX_SPEED}.`,
  )
  refuseUnless(
    cover >= 0 && cover <= duration + TOLERANCE,
    (nameOf) => `${nameOf('cover_time')} must be from 0 to the end of ${nameOf('the preview')} (${shown} s).`,
  )
  refuseUnless(
    Number.isInteger(repeat) && repeat >= 1 && repeat <= MAX_REPEAT,
    (nameOf) => `${nameOf('repeat')} must be a whole number from 1 to ${MAX_REPEAT}.`,
  )
}

function checkWallpaper(seconds: number): void {
  const [least, most] = WALLPAPER_SECONDS
  refuseUnless(
    seconds >= least - TOLERANCE && seconds <= most + TOLERANCE,
    (nameOf) =>
      `${nameOf('wallpaper=true')} needs a clip of ${least} to ${most} s, and this one would last ${seconds.toFixed(1)} s. Choose another ${nameOf('range_end')} or ${nameOf('speed')}.`,
  )
}

/** @throws ServiceError `unprocessable` for a clip whose sound would have to be repeated, too */
export function checkRepeat(
  { repeat = 1, mute }: { readonly repeat?: number | undefined; readonly mute: boolean },
  hasSound: boolean,
): void {
  if (repeat === 1 || mute || !hasSound) return
  throw new ServiceError(
    'unprocessable',
    (nameOf) =>
      `${nameOf('repeat')} is for clips without sound: leave it out, or send ${nameOf('mute=true')}.`,
  )
}

function refuseUnless(condition: boolean, detail: string | Wording): void {
  if (!condition) throw new ServiceError('invalid-request', detail)
}

/**
 * When the clip shows the picture of the cover. The original's pictures have times of their own, and a frame of the preview shows
 * the latest that has begun by the middle of it: after a long one the nearest may be the next.
 */
export function coverSeconds(
  { coverFrame, startFrame, speed }: ClipPlan,
  { times, quality }: Pick<Clip, 'times' | 'quality'>,
): number {
  const secondsAt = (frame: number) => frame / (FPS * speed)
  const frame = coverFrame - startFrame
  if (quality === 'preview') return secondsAt(frame)
  const end = secondsAt(frame + 0.5) - 1e-6
  return times.reduce((latest, time) => (time < end ? Math.max(latest, time) : latest), 0)
}
