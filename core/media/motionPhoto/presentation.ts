/**
 * When, in the clip, the cover is shown: Google's presentation timestamp.
 *
 * The time is snapped to the nearest frame of the clip and never lies outside it, because players seek to exactly this
 * time and some show nothing when no frame is there.
 * @param at.coverSeconds the cover's time in the preview
 * @param at.startSeconds the time in the preview of the clip's first frame
 * @param at.speed how many times faster the clip plays than the preview, above 0
 * @param at.clipFrames frames of the clip, at least 1
 * @param at.fps frames per second of the clip
 * @returns whole microseconds from the clip's start
 */
export function presentationTimestampUs(at: {
  readonly coverSeconds: number
  readonly startSeconds: number
  readonly speed: number
  readonly clipFrames: number
  readonly fps: number
}): number {
  const seconds = (at.coverSeconds - at.startSeconds) / at.speed
  const frame = Math.min(Math.max(Math.round(seconds * at.fps), 0), Math.max(at.clipFrames - 1, 0))
  return Math.round((frame * 1_000_000) / at.fps)
}
