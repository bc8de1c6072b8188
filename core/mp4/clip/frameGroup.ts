import { concatBytes } from '@lantern-room/base/bytes'
import { hasPlainEdits, presentationStart } from '../movie/edits'
import { type NewTrack, sliceTrack } from '../movie/encodeTrack'
import { isReadable, MAX_SAMPLES_AT_ONCE, readSamples } from '../movie/readSamples'
import { compositionTimes, type SampleTable, total } from '../movie/sampleTable'
import type { Track } from '../movie/track'
import { writeMovie } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import { keyFrameBefore } from './cutSource'

/**
 * Reads the pictures that have to be decoded to see one frame, as an MP4 of their own.
 * @param track of the source; its times begin at 0
 * @param frame of the whole track, at `rate` a second
 * @returns the MP4, and the frames by which its times are earlier than the track's, which may be negative; undefined as `planFrameGroup`,
 *   and where samples lie outside of the source
 * @throws what the source throws
 * @example
 * const group = await readFrameGroup(source, track, 45, 30)
 * if (group) decode(group.movie, 45 - group.shiftFrames)
 */
export async function readFrameGroup(
  source: ByteSource,
  track: Track,
  frame: number,
  rate: number,
): Promise<{ readonly movie: Uint8Array; readonly shiftFrames: number } | undefined> {
  const group = planFrameGroup(track, frame, rate)
  if (!group || !isReadable(group.range, source.size)) return undefined
  const [samples = []] = await readSamples(source, [group.range])
  const { head } = writeMovie([group.movie])
  return { movie: concatBytes([head, ...samples]), shiftFrames: group.shiftFrames }
}

/** A longer group is not held in memory. */
const MAX_GROUP_BYTES = 48 * 1024 * 1024
/** Half of what 32 bits count. */
const MAX_GROUP_TICKS = 0x7fffffff

/**
 * Plans the part of an original that has to be decoded to see one frame, as a movie of its own.
 *
 * Finds the picture that is shown in a frame, as ffmpeg's filter `fps` decides: the latest one whose time, rounded to
 * a frame, is not after it. The group reaches from the key frame before it to the picture that follows it.
 * The times of the original must begin at 0.
 * @param frame of the whole original, at `rate` a second
 * @returns undefined when the track is not simple enough: several descriptions, a list of edits that does more than
 *   shift, no key frame before, a group that is too large or too long
 */
export function planFrameGroup(track: Track, frame: number, rate: number) {
  const { samples, timescale } = track
  const presented = presentation(track)
  if (track.entryCount !== 1 || !presented || samples.count === 0) return undefined
  const times = compositionTimes(samples).map((time) => time + presented.shift)
  const shown = shownSample(times, frame, presented, { rate, timescale })
  const next = shown === undefined ? undefined : sampleAfter(times, times[shown] ?? 0)
  const key = shown === undefined ? undefined : keyFrameBefore(samples, times, shown, times[shown] ?? 0)
  if (shown === undefined || key === undefined) return undefined
  const end = Math.max(shown, next ?? 0) + 1
  const isCut = times.subarray(key, end).some((time) => time >= presented.end)
  if (isCut || isTooLarge(samples, key, end)) return undefined
  // Whole seconds are whole ticks. One more keeps the pictures before the key frame after 0.
  const shiftSeconds = Math.floor((times[key] ?? 0) / timescale) - 1
  return {
    range: { samples, first: key, end },
    movie: trackOf(track, key, end, times, shiftSeconds * timescale),
    /** Frames by which the times of the movie are earlier than those of the original; may be negative. */
    shiftFrames: shiftSeconds * rate,
  }
}

function isTooLarge({ sizes, durations }: SampleTable, first: number, end: number): boolean {
  return (
    end - first > MAX_SAMPLES_AT_ONCE ||
    total(sizes.subarray(first, end)) > MAX_GROUP_BYTES ||
    total(durations.subarray(first, end)) > MAX_GROUP_TICKS
  )
}

/**
 * When samples are shown, in ticks.
 * @returns `shift`: what to add to composition times; `start`, `end`: before and from where nothing is shown
 */
function presentation(track: Track) {
  if (!hasPlainEdits(track)) return undefined
  const shown = track.edits.at(-1)
  if (!shown) return { shift: 0, start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }
  const { emptySeconds, mediaTime } = presentationStart(track.edits)
  const start = Math.round(emptySeconds * track.timescale)
  return { shift: start - mediaTime, start, end: start + shown.durationSeconds * track.timescale }
}

function shownSample(
  times: Float64Array,
  frame: number,
  { start, end }: NonNullable<ReturnType<typeof presentation>>,
  { rate, timescale }: { readonly rate: number; readonly timescale: number },
): number | undefined {
  let latest: number | undefined
  let first: number | undefined
  for (const [index, time] of times.entries()) {
    if (time < start || time >= end) continue
    if (first === undefined || time < (times[first] ?? 0)) first = index
    const isDue = Math.round((time * rate) / timescale) <= frame
    if (isDue && (latest === undefined || time > (times[latest] ?? 0))) latest = index
  }
  return latest ?? first
}

function sampleAfter(times: Float64Array, shown: number): number | undefined {
  let next: number | undefined
  for (const [index, time] of times.entries())
    if (time > shown && (next === undefined || time < (times[next] ?? 0))) next = index
  return next
}

/** Without a list of edits: each sample's time is that of decoding, which begins at 0, and its offset. */
function trackOf(track: Track, first: number, end: number, times: Float64Array, shift: number): NewTrack {
  const sliced = sliceTrack(track, first, end)
  let decoded = 0
  const compositionOffsets = Int32Array.from(times.subarray(first, end), (time, index) => {
    const offset = time - shift - decoded
    decoded += sliced.durations[index] ?? 0
    return offset
  })
  return { ...sliced, compositionOffsets }
}
