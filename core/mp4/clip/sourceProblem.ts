import type { Track } from '../movie/track'
import { judgeVideo, type VideoProblemCode, type VideoRate } from '../video/playback'

/**
 * Why an original's own pictures cannot be copied into a clip:
 * - `format`: it is no MP4 or MOV, or one in fragments
 * - `codec`: neither AVC nor HEVC in a form that phones decode: 8 bits (HEVC: 10), 4:2:0, not interlaced
 * - `edits`: its pictures are put together in a way that a copy would not keep, or change their size
 * - `speed`: the pictures of a second would be more than phones can decode
 * - `size`: the clip would be too large, or its pictures are
 * - `edit`: they are to be cropped or repeated
 * - `mirror`: they are to be shown mirrored or sheared, which phones do not do
 */
export const SOURCE_PROBLEMS = ['format', 'codec', 'edits', 'speed', 'size', 'edit', 'mirror'] as const
export type SourceProblem = (typeof SOURCE_PROBLEMS)[number]

/** What is not in this table is mended. */
const PLAYBACK_PROBLEMS: Partial<Readonly<Record<VideoProblemCode, SourceProblem>>> = {
  'clip-codec': 'codec',
  'clip-interlaced': 'codec',
  'clip-size': 'size',
  'clip-rate': 'speed',
  'clip-changes': 'edits',
  'clip-mirrored': 'mirror',
}

/** Why phones would not play what is copied. @param samples as `judgeVideo` takes them */
export function playbackProblem(
  track: Track,
  samples: readonly Uint8Array[],
  rate: VideoRate,
): SourceProblem | undefined {
  const codes = judgeVideo(track, samples, rate).problems
  return codes.map((code) => PLAYBACK_PROBLEMS[code]).find((problem) => problem !== undefined)
}
