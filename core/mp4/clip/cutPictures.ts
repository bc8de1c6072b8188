import type { Track } from '../movie/track'

/** Which frames of a preview are decoded, re-encoded and copied. @see docs/decisions.md, D38 */
export type PictureCut = {
  readonly track: Track
  /** The key frame from which decoding must start to show `start`. */
  readonly group: number
  /** First frame of the clip. Frames from here up to `key` are re-encoded, since their group begins before the clip. */
  readonly start: number
  /** First key frame of the clip, or `end` when there is none: from here on frames are copied. */
  readonly key: number
  /** Not included. */
  readonly end: number
}

/** The limit of level 3.1, in macroblocks per second. @see ITU-T H.264, table A-1, MaxMBPS */
const MAX_MACROBLOCKS_PER_SECOND = 108_000

/** No screen of a phone shows more, and decoders are rarely tried with more. */
const MAX_FRAMES_PER_SECOND = 120

/**
 * Cuts frames out of a track without B-frames, of which each sample is one.
 * @param start first frame, from 0
 * @param end not included
 * @throws RangeError when the track has no key frame before `start`, or ends before `end`
 * @example
 * const cut = cutPictures(video, 12, 90) // cut.group, from where it is decoded, cut.key, from where it can be copied
 */
export function cutPictures(track: Track, start: number, end: number): PictureCut {
  const { sync, count } = track.samples
  const group = sync.subarray(0, start + 1).lastIndexOf(1)
  if (group === -1 || end > count || start >= end)
    throw new RangeError(`no frames ${start} to ${end} of ${count}`)
  const next = sync.subarray(start, end).indexOf(1)
  return { track, group, start, key: next === -1 ? end : start + next, end }
}

/** Below this motion is no longer smooth, and a clip that is encoded anew looks better. */
const MIN_FRAMES_PER_SECOND = 24

/** Which frames of a cut are shown: each one, or every second one. */
export type FrameStep = 1 | 2

/** How fast a cut is played: a multiplier of the track's own frames per second. */
export type PlayedRate = { readonly speed: number; readonly fps: number }

/**
 * Which frames of a cut may be shown at `speed` as they are, only sooner or later.
 * @returns undefined when there would be too many, or too few to look smooth, or the track is not plain
 */
export function copiedStep({ track }: PictureCut, played: PlayedRate): FrameStep | undefined {
  return isPlain(track, played.fps) ? stepOf(track, played) : undefined
}

/**
 * Which frames of a plain track of some size may be shown.
 * @returns undefined when there would be too many, or too few to look smooth
 * @example
 * stepOf({ width: 1280, height: 720 }, { speed: 2, fps: 30 }) // undefined: 30 a second are the most, and 15 too few
 */
export function stepOf(
  size: Pick<Track, 'width' | 'height'>,
  { speed, fps }: PlayedRate,
): FrameStep | undefined {
  const macroblocks = Math.ceil(size.width / 16) * Math.ceil(size.height / 16)
  const most = Math.min(MAX_FRAMES_PER_SECOND, MAX_MACROBLOCKS_PER_SECOND / macroblocks)
  const rate = fps * speed
  if (speed <= 1 || rate <= most) return 1
  return rate / 2 <= most && rate / 2 >= MIN_FRAMES_PER_SECOND ? 2 : undefined
}

/**
 * Whether a track is as previews are: `fps` frames a second without B-frames, lengths of four bytes, one set of parameters,
 * shown from its first frame on.
 */
export function isPlain({ samples, timescale, avc, edits, entryCount }: Track, fps: number): boolean {
  const [edit, another] = edits
  return (
    samples.compositionOffsets === undefined &&
    samples.durations.every((duration) => duration * fps === timescale) &&
    avc?.lengthSize === 4 &&
    avc.sps.length === 1 &&
    avc.pps.length === 1 &&
    entryCount === 1 &&
    !another &&
    (edit?.mediaTime ?? 0) === 0
  )
}
