import { ServiceError } from '#core/errors'
import type { ClipPlan } from '#core/media/convert/clip'
import { FPS } from '#core/media/frames'
import { readMotionPhoto } from '#core/media/motionPhoto/read'

/** What `--json` prints; spelled as in the API. */
export type Result = {
  /** Absolute path. */
  readonly output: string
  readonly bytes: number
  /** Pixels of the cover. */
  readonly width: number
  readonly height: number
  readonly clip_seconds: number
  /** Where in the video the cover is. */
  readonly cover_seconds: number
  /** Where in the clip it is. */
  readonly presentation_timestamp_us: number
}

/** Read from the finished file, so that it is what readers will find. */
export function describeResult(output: string, photo: Uint8Array, plan: ClipPlan): Result {
  const read = readMotionPhoto(photo)
  if (!read?.frame || read.xmp?.presentationTimestampUs === undefined) {
    throw new ServiceError('internal', 'The motion photo could not be read back.')
  }
  return {
    output,
    bytes: photo.length,
    width: read.frame.width,
    height: read.frame.height,
    clip_seconds: seconds(plan.clipFrames),
    cover_seconds: seconds(plan.coverFrame),
    presentation_timestamp_us: read.xmp.presentationTimestampUs,
  }
}

function seconds(frames: number): number {
  return Math.round((frames / FPS) * 1e6) / 1e6
}
