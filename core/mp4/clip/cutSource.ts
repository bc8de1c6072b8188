import { hasPlainEdits, presentationStart } from '../movie/edits'
import { type Movie, videoTrack } from '../movie/movie'
import { isReadable } from '../movie/readSamples'
import { cleanVideoEntry } from '../movie/sampleEntry'
import { compositionTimes, type SampleTable, total } from '../movie/sampleTable'
import type { Track } from '../movie/track'
import { numberAt, type Outcome } from '../source/reading'
import { hasOwnSets, readCodedStream, withOwnSets } from '../video/codedStream'
import type { VideoRate } from '../video/playback'
import { playbackProblem, type SourceProblem } from './sourceProblem'

/** Pictures of an original that are copied, in decoding order from sample `first` up to `end` (not included). */
export type SourceCut = {
  readonly track: Track
  readonly sampleEntry: Uint8Array
  readonly isAvc: boolean
  /** How much is shown in a second of the clip. */
  readonly rate: VideoRate
  readonly first: number
  readonly end: number
  /** Seconds from the start of the range, of each of the samples. */
  readonly seconds: readonly number[]
  /** Which of the samples are shown, in the order of showing. The others only serve to decode them. */
  readonly shown: readonly number[]
  readonly hiddenBefore: readonly number[]
  readonly hiddenAfter: readonly number[]
}

/** Which part of an original is meant. */
export type SourceRange = {
  /** Which of the video streams, counted from 0. */
  readonly stream: number
  /** The number of its track, instead. */
  readonly trackId?: number | undefined
  /** Seconds, from when the first picture or sound is presented. */
  readonly start: number
  readonly end: number
  /** Multiplier of playback speed. */
  readonly speed: number
}

/** A range begins and ends at the nearest of 30 frames a second. Where there are more, every one is kept. */
const TOLERANCE_SECONDS = 1 / 60

/** 4K at 30 frames a second, or 1080p at 120. @see ITU-T H.264, table A-1, level 5.1 */
const MAX_MACROBLOCKS_PER_SECOND = 983_040
const MAX_FRAMES_PER_SECOND = 120

const MAX_CLIP_BYTES = 96 * 1024 * 1024
/** A little more than any clip; what 32 bits count in millionths of a second. */
const MAX_CLIP_SECONDS = 4000
/** More than cameras record for slow motion. */
const MAX_PICTURES_PER_SECOND = 1000

/**
 * Chooses the pictures of an original for a clip: those that are shown in the range, and those needed to decode them, from
 * the key frame before.
 * @param sourceBytes size of the original; samples beyond it, or that share bytes of it, are refused
 * @example
 * const { movie } = await readIndex(source)
 * const { cut, problem } = movie ? cutSource(movie, { stream: 0, start: 1, end: 4, speed: 1 }, source.size) : {}
 */
export function cutSource(
  movie: Movie,
  { stream, trackId, start, end, speed }: SourceRange,
  sourceBytes: number,
): Outcome<{ readonly cut: SourceCut }, SourceProblem> {
  const track = videoTrack(movie, stream, trackId)
  if (!track) return { problem: 'format' }
  const entry = cleanVideoEntry(track.sampleEntry)
  const coded = entry && readCodedStream(entry)
  if (!coded || !hasOwnSets(coded)) return { problem: 'codec' }
  if (track.entryCount !== 1 || !hasPlainEdits(track)) return { problem: 'edits' }

  const range = chooseSamples(track, originOf(movie), start, end)
  if (!range) return { problem: 'edits' }
  const bytes = total(track.samples.sizes.subarray(range.first, range.end))
  const seconds = (end - start) / speed
  const cut = {
    ...range,
    track,
    sampleEntry: withOwnSets(entry) ?? entry,
    isAvc: coded.kind === 'avc',
    rate: { frames: range.shown.length / seconds, bits: (bytes * 8) / seconds },
  }
  const isTooLarge = bytes > MAX_CLIP_BYTES || seconds > MAX_CLIP_SECONDS
  if (isTooLarge || !isReadable({ ...range, samples: track.samples }, sourceBytes)) return { problem: 'size' }
  if (cut.rate.frames > MAX_PICTURES_PER_SECOND) return { problem: 'speed' }
  const problem = playbackProblem(track, [], cut.rate)
  if (problem) return { problem }
  return speed > 1 && isTooFast(cut) ? { problem: 'speed' } : { cut }
}

type ChosenSamples = Omit<SourceCut, 'track' | 'sampleEntry' | 'isAvc' | 'rate'>

function chooseSamples(track: Track, origin: number, start: number, end: number): ChosenSamples | undefined {
  const { samples } = track
  const seconds = presentedSeconds(track, origin)
  const order = [...seconds.keys()].sort((a, b) => numberAt(seconds, a) - numberAt(seconds, b))
  const timeOf = (place: number) => seconds[order[place] ?? -1] ?? Number.POSITIVE_INFINITY
  const tolerance = Math.min(TOLERANCE_SECONDS, track.durationSeconds / Math.max(1, samples.count) / 2)
  const firstShown = Math.max(
    0,
    order.findIndex((_, place) => timeOf(place + 1) > start + tolerance),
  )
  let lastShown = firstShown
  while (timeOf(lastShown + 1) < end - tolerance) lastShown += 1
  const shown = order.slice(firstShown, lastShown + 1)
  if (shown.length === 0) return undefined

  const lowest = shown.reduce((least, index) => Math.min(least, index))
  const first = keyFrameBefore(samples, seconds, lowest, timeOf(firstShown))
  if (first === undefined) return undefined
  const last = shown.reduce((most, index) => Math.max(most, index))
  const inside = (from: number, to?: number) =>
    order.slice(from, to).flatMap((index) => (index >= first && index <= last ? index - first : []))
  return {
    first,
    end: last + 1,
    seconds: Array.from(seconds.subarray(first, last + 1), (time) => time - start),
    shown: shown.map((index) => index - first),
    hiddenBefore: inside(0, firstShown),
    hiddenAfter: inside(lastShown + 1),
  }
}

/**
 * The last key frame from which on everything that is shown can be decoded: pictures shown before it may need earlier ones.
 * @example
 * const seconds = presentedSeconds(track)
 * const first = keyFrameBefore(track.samples, seconds, sample, seconds[sample] ?? 0)
 */
export function keyFrameBefore(
  { sync }: SampleTable,
  times: ArrayLike<number>,
  sample: number,
  shownFrom: number,
): number | undefined {
  for (let index = sample; index >= 0; index--) {
    if (sync[index] === 1 && numberAt(times, index) <= shownFrom) return index
  }
  return undefined
}

/**
 * When each sample is presented, by composition offsets and edit list.
 * @param origin the second that is counted from
 * @example
 * const [first = 0] = presentedSeconds(track) // of the first sample in decoding order
 */
export function presentedSeconds({ samples, timescale, edits }: Track, origin = 0): Float64Array {
  const { emptySeconds, mediaTime } = presentationStart(edits)
  const times = compositionTimes(samples)
  times.forEach((ticks, sample) => {
    times[sample] = emptySeconds + (ticks - mediaTime) / timescale - origin
  })
  return times
}

/**
 * What ffmpeg calls the start of a file, and the preview time 0: when the first picture or sound is presented.
 * @example
 * const secondsInFile = secondsOfPlayer + originOf(movie)
 */
export function originOf(movie: Movie): number {
  const starts = movie.tracks
    .filter(({ kind, samples }) => kind !== 'other' && samples.count > 0)
    .map((track) => {
      const { emptySeconds } = presentationStart(track.edits)
      if (track.kind === 'audio') return emptySeconds
      const earliest = presentedSeconds(track).reduce((least, time) => Math.min(least, time), Infinity)
      return Math.max(emptySeconds, earliest)
    })
  return starts.length === 0 ? 0 : starts.reduce((least, time) => Math.min(least, time))
}

function isTooFast({ track, rate }: Pick<SourceCut, 'track' | 'rate'>): boolean {
  const macroblocks = Math.ceil(track.width / 16) * Math.ceil(track.height / 16)
  return rate.frames > MAX_FRAMES_PER_SECOND || rate.frames * macroblocks > MAX_MACROBLOCKS_PER_SECOND
}
