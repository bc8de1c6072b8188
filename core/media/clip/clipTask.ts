import type { Ffmpeg } from '../ports'

/** A clip in frames. */
export type ClipFrames = {
  /** First frame of the preview that is in the clip, and the number of the preview's frames in it. */
  readonly startFrame: number
  readonly sourceFrames: number
  /** How often the range is played. Default 1. */
  readonly repeat?: number
  /** Frames of the clip at 30 a second: repeat · (end − start) / speed, to the nearest. */
  readonly clipFrames: number
  readonly speed: number
}

/** What every run of ffmpeg for one clip has in common. */
export type FfmpegRun = {
  readonly ffmpeg: Ffmpeg
  readonly timeoutMs: number
  readonly signal: AbortSignal
}
