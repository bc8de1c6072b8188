import { ServiceError, type Wording } from '@lantern-room/base'
import { FPS, frameAt } from '../frames'

/** The part of an upload that a preview shows, in seconds of the upload. */
export type Window = {
  readonly from: number
  /** Undefined: as far as the upload goes, or as much as is allowed. */
  readonly to: number | undefined
  /** Whether `to` after the end of the upload is refused. Otherwise the preview ends with the upload. */
  readonly mustFit: boolean
}

/** A window in frames of a preview of the whole upload. */
export type FrameWindow = {
  readonly firstFrame: number
  /** The preview has at most this many. */
  readonly maxFrames: number
}

/** A clip needs as much. */
const MIN_SECONDS = 0.1

/** Containers tell their length to the hundredth, and clients round. */
const TOLERANCE = 1 / FPS + 0.01

/**
 * Refuses a window that is wrong for every upload.
 * @throws ServiceError `invalid-request` naming the field
 */
export function checkWindow({ from, to }: Window, maxInputSeconds: number): void {
  refuseUnless(from >= 0, 'from must be 0 or more.')
  if (to === undefined) return
  refuseUnless(from < to, 'from must be less than to.')
  refuseUnless(to - from >= MIN_SECONDS - 1e-6, `to must be at least ${MIN_SECONDS} s after from.`)
  refuseUnless(
    to - from <= maxInputSeconds + 1e-6,
    `to must be at most ${maxInputSeconds} s after from: a preview cannot be longer. Choose a shorter part.`,
  )
}

/** The frames of a window: the first is the one that is shown at `from`, the last begins before `to`. */
export function windowFrames({ from, to }: Window, maxInputSeconds: number): FrameWindow {
  const firstFrame = frameAt(from)
  const allowed = Math.max(1, Math.round(maxInputSeconds * FPS))
  const asked = to === undefined ? allowed : Math.max(1, Math.ceil(to * FPS - 1e-3) - firstFrame)
  return { firstFrame, maxFrames: Math.min(asked, allowed) }
}

/**
 * Refuses a window that does not lie inside its upload.
 * @param sourceSeconds length of the upload; undefined when the file does not say
 * @throws ServiceError `out-of-range` naming the field
 */
export function requireInside({ from, to, mustFit }: Window, sourceSeconds: number | undefined): void {
  if (sourceSeconds === undefined) return
  if (from > 0 && from >= sourceSeconds) throw startsTooLate(sourceSeconds)
  if (mustFit && to !== undefined && to > sourceSeconds + TOLERANCE) {
    throw outOfRange(`to must not lie after the end of the file (${sourceSeconds.toFixed(3)} s).`)
  }
}

/**
 * Refuses a preview of which no clip could be cut.
 * @param frames of the preview
 * @throws ServiceError `invalid-request` for a video that is too short, `out-of-range` for a window at the end of a longer one
 */
export function requireRange({ from }: Pick<Window, 'from'>, frames: number): void {
  const seconds = frames / FPS
  if (seconds >= MIN_SECONDS - 1e-6) return
  if (from > 0)
    throw outOfRange(
      (nameOf) =>
        `${nameOf('from')} must lie at least ${MIN_SECONDS} s before the end of ${nameOf('the file')}.`,
    )
  throw new ServiceError(
    'invalid-request',
    `The video lasts only ${seconds.toFixed(3)} s; a clip needs at least ${MIN_SECONDS} s. Send a longer one.`,
  )
}

/** @param sourceSeconds undefined when the length is not known, but no picture was found after `from` */
export function startsTooLate(sourceSeconds: number | undefined): ServiceError {
  const end = sourceSeconds === undefined ? '' : ` (${sourceSeconds.toFixed(3)} s)`
  return outOfRange((nameOf) => `${nameOf('from')} must lie before the end of ${nameOf('the file')}${end}.`)
}

/** Not `invalid-request`: the file is not to blame, and may be prepared with another window. */
function outOfRange(detail: string | Wording): ServiceError {
  return new ServiceError('out-of-range', detail)
}

function refuseUnless(condition: boolean, detail: string): void {
  if (!condition) throw new ServiceError('invalid-request', detail)
}
