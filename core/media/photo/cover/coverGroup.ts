import { concatBytes } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/formats'
import { readIndex } from '@lantern-room/formats'
import type { Track } from '@lantern-room/formats/parts'
import {
  compositionTimes,
  hasPlainEdits,
  isReadable,
  keyFrameBefore,
  MAX_SAMPLES_AT_ONCE,
  type NewTrack,
  presentationStart,
  readSamples,
  type SampleTable,
  sliceTrack,
  total,
  videoTrack,
  writeMovie,
} from '@lantern-room/formats/parts'
import type { FfmpegRun } from '#media/ffmpeg/requireSuccess'
import { refusals } from '#media/formatRefusal'
import { FPS, isTooLate } from '#media/frames'
import type { FfmpegOutcome } from '#media/ports'
import type { Material } from '#media/sessions/sessionFiles'
import type { OriginalTraits } from '#media/traits'

/**
 * Decodes a frame of an original: from the pictures around it alone where that is possible, else ffmpeg searches in the whole file.
 * @param frame of the whole original, at 30 a second
 * @param args.piped for a movie on standard input that has only these pictures, `frame` being its own
 * @param args.searches for the file: alternatives, of which the next is tried while `isTooLate` is true
 * @param isDone whether a run has given what is wanted
 * @returns the run that has; undefined when none has
 */
export async function decodeFrame(
  {
    ffmpeg,
    timeoutMs,
    signal,
    original,
  }: FfmpegRun & {
    readonly original: Material & { readonly traits: OriginalTraits }
  },
  frame: number,
  args: { piped(frame: number): string[]; searches(path: string): string[][] },
  isDone: (outcome: FfmpegOutcome) => boolean | Promise<boolean>,
): Promise<FfmpegOutcome | undefined> {
  const group = await readCoverGroup(original.bytes, original.traits, frame)
  if (group) {
    const piped = args.piped(frame - group.shiftFrames)
    const outcome = await ffmpeg.run({ args: piped, stdin: group.movie, timeoutMs, signal })
    if (await isDone(outcome)) return outcome
  }
  let outcome: FfmpegOutcome | undefined
  for (const search of args.searches(await original.path())) {
    outcome = await ffmpeg.run({ args: search, timeoutMs, signal })
    if (outcome.exitCode !== 0 || !isTooLate(outcome.stderr, frame)) break
  }
  return outcome && (await isDone(outcome)) ? outcome : undefined
}

/**
 * Reads the pictures around a frame of an MP4 or MOV, as an MP4 of their own.
 * @param frame of the whole original, at 30 a second
 * @returns undefined for what is no MP4 with a simple video track
 * @throws what the source throws
 */
async function readCoverGroup(
  source: ByteSource,
  traits: OriginalTraits,
  frame: number,
): Promise<{ readonly movie: Uint8Array; readonly shiftFrames: number } | undefined> {
  const { kind, stream, streamId, isSeekable, startsAtZero } = traits
  if (kind !== 'video' || !isSeekable || !startsAtZero) return undefined
  const { movie } = await readIndex(source)
  const track = movie && videoTrack(movie, stream, streamId)
  const group = track && planCoverGroup(track, frame)
  if (!group || !isReadable(group.range, source.size)) return undefined
  const [samples = []] = await refusals(readSamples(source, [group.range]))
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
 * Finds the picture that the preview shows in a frame, as ffmpeg's filter `fps` does: the latest one whose time, rounded to
 * a frame, is not after it. The group reaches from the key frame before it to the picture that follows it.
 * The times of the original must begin at 0.
 * @param frame of the whole original, at 30 a second
 * @returns undefined when the track is not simple enough: several descriptions, a list of edits that does more than
 *   shift, no key frame before, a group that is too large or too long
 */
export function planCoverGroup(track: Track, frame: number) {
  const { samples, timescale } = track
  const presented = presentation(track)
  if (track.entryCount !== 1 || !presented || samples.count === 0) return undefined
  const times = compositionTimes(samples).map((time) => time + presented.shift)
  const shown = shownSample(times, frame, presented, timescale)
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
    movie: movieOf(track, key, end, times, shiftSeconds * timescale),
    /** Frames at 30 a second by which the times of the movie are earlier than those of the original; may be negative. */
    shiftFrames: shiftSeconds * FPS,
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
  timescale: number,
): number | undefined {
  let latest: number | undefined
  let first: number | undefined
  for (const [index, time] of times.entries()) {
    if (time < start || time >= end) continue
    if (first === undefined || time < (times[first] ?? 0)) first = index
    const isDue = Math.round((time * FPS) / timescale) <= frame
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
function movieOf(track: Track, first: number, end: number, times: Float64Array, shift: number): NewTrack {
  const sliced = sliceTrack(track, first, end)
  let decoded = 0
  const compositionOffsets = Int32Array.from(times.subarray(first, end), (time, index) => {
    const offset = time - shift - decoded
    decoded += sliced.durations[index] ?? 0
    return offset
  })
  return { ...sliced, compositionOffsets }
}
