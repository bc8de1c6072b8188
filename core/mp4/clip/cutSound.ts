import { AAC_FRAME, isClockOfAac, plainAacEntry, readAacChannels, silentAacFrame } from '../movie/aac'
import { hasPlainEdits, presentationStart } from '../movie/edits'
import { type NewTrack, sliceTrack } from '../movie/encodeTrack'
import { readSamples } from '../movie/readSamples'
import { total } from '../movie/sampleTable'
import type { Track } from '../movie/track'
import type { FilledTrack } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import { numberAt } from '../source/reading'

/** Which samples of a sound track are heard in a stretch of time, and how they lie in it. */
export type SoundCut = {
  readonly track: Track
  /** Samples, `end` not included. The first one may serve only to decode the second. */
  readonly first: number
  readonly end: number
  /** Where the stretch begins, in ticks from the first sample. */
  readonly mediaTime: number
  /** Silence before the sound starts. */
  readonly delaySeconds: number
  readonly seconds: number
  /** Frames of silence that fill the stretch when the sound ends before it does. */
  readonly silentFrames: number
}

/** Half of what 32 bits count: the sound that a clip copies of it fits, with the silence that is added. */
const MAX_TICKS = 0x7fffffff

/**
 * Whether a track of sound can be cut without encoding it: AAC-LC with one edit at most, whose clock counts samples of sound, so that lengths of silence are
 * what they seem.
 * @param sourceBytes size of the file; samples that share bytes of it are no sound
 * @example
 * const sound = movie.tracks.find(({ kind }) => kind === 'audio')
 * const isCopied = sound !== undefined && isCopyable(sound, file.size)
 */
export function isCopyable(
  { sampleEntry, timescale, samples, ...track }: Track,
  sourceBytes: number,
): boolean {
  const entry = plainAacEntry(sampleEntry)
  return (
    readAacChannels(entry) !== undefined &&
    isClockOfAac(entry, timescale) &&
    track.entryCount === 1 &&
    hasPlainEdits(track) &&
    total(samples.durations) <= MAX_TICKS &&
    total(samples.sizes) <= sourceBytes
  )
}

/** As many bytes as pictures of a clip may have. */
const MAX_BYTES = 96 * 1024 * 1024

/** Frames may be shorter than those of AAC; such of no length at all could be a million. */
const MAX_FRAMES_PER_LENGTH = 4
const FURTHER_FRAMES = 1024

/**
 * Whether a cut has no more samples and bytes than sound of its length can have.
 * @param sourceBytes size of the file
 */
export function isBounded(
  { track, first, end, seconds, silentFrames }: SoundCut,
  sourceBytes: number,
): boolean {
  const usual = (seconds * track.timescale) / AAC_FRAME
  const most = MAX_FRAMES_PER_LENGTH * usual + FURTHER_FRAMES
  const bytes = total(track.samples.sizes.subarray(first, end))
  return end - first <= most && silentFrames <= most && bytes <= Math.min(MAX_BYTES, sourceBytes)
}

/**
 * @param track for which `isCopyable` holds: one edit, and perhaps an empty one before it
 * @param start seconds, in the time that a player shows; may lie before the sound and before 0
 */
export function cutSound(track: Track, start: number, end: number): SoundCut {
  const { samples, timescale } = track
  const { emptySeconds, mediaTime: mediaStart } = presentationStart(track.edits)
  const mediaTimeAt = (seconds: number) => mediaStart + Math.round((seconds - emptySeconds) * timescale)

  const from = Math.max(mediaStart, mediaTimeAt(start))
  const to = mediaTimeAt(end)
  const starts = startTicks(samples.durations)
  const total = Math.min(numberAt(starts, samples.count), editEnd(track))
  const isAbsent = from >= Math.min(total, to)
  // A frame is decoded together with the one before it.
  const first = isAbsent ? 0 : Math.max(0, lastAtOrBefore(starts, from) - 1)
  const last = isAbsent ? 0 : Math.min(samples.count, lastAtOrBefore(starts, Math.min(to, total) - 1) + 1)
  return {
    track,
    first,
    end: last,
    mediaTime: isAbsent ? 0 : from - numberAt(starts, first),
    delaySeconds: isAbsent ? 0 : (from - mediaTimeAt(start)) / timescale,
    seconds: end - start,
    silentFrames: Math.ceil(Math.max(0, isAbsent ? to - mediaTimeAt(start) : to - total) / AAC_FRAME),
  }
}

/**
 * As `cutSound`, for sound that can be that of its stretch.
 * @param start seconds, in the time that a player shows; may lie before the sound and before 0
 * @param end alike
 * @param sourceBytes size of the file
 * @returns undefined when the cut has more samples, bytes or silence than sound of its length can have
 * @example
 * const cut = cutBoundedSound(audio, 1, 4, source.size)
 * const sound = cut && copySound(cut, await readSound(source, cut))
 */
export function cutBoundedSound(
  track: Track,
  start: number,
  end: number,
  sourceBytes: number,
): SoundCut | undefined {
  const cut = cutSound(track, start, end)
  return isBounded(cut, sourceBytes) ? cut : undefined
}

/**
 * Reads the samples of a cut.
 * @throws FormatError `damaged` as `readSamples`; what the source throws
 * @example
 * const samples = await readSound(source, cut)
 */
export async function readSound(
  source: ByteSource,
  { track, first, end }: SoundCut,
): Promise<readonly Uint8Array[]> {
  const [samples = []] = await readSamples(source, [{ samples: track.samples, first, end }])
  return samples
}

/**
 * How many channels the sound of a cut is encoded with: 1, or 2 where it has more.
 * @example
 * const channels = channelsOf(cut) // 2
 */
export function channelsOf({ track }: SoundCut): 1 | 2 {
  return readAacChannels(track.sampleEntry) === 1 ? 1 : 2
}

/**
 * The cut as a track of a clip, not a sample changed.
 * @param samples the bytes of the cut's samples
 * @example
 * const { mp4 } = joinClip(pictures, copySound(cut, await readSound(source, cut)))
 */
export function copySound(cut: SoundCut, samples: readonly Uint8Array[]): FilledTrack {
  const copied = sliceTrack(cut.track, cut.first, cut.end, soundEdits(cut))
  const silence = silentAacFrame(readAacChannels(cut.track.sampleEntry) ?? 0)
  const added = silence ? Array<Uint8Array>(cut.silentFrames).fill(silence) : []
  return {
    track: {
      ...copied,
      sizes: Uint32Array.from([...copied.sizes, ...added.map(({ length }) => length)]),
      durations: Uint32Array.from([...copied.durations, ...added.map(() => AAC_FRAME)]),
    },
    samples: [...samples, ...added],
  }
}

function soundEdits({ delaySeconds, mediaTime, seconds }: SoundCut): NewTrack['edits'] {
  const sound = { durationSeconds: seconds - delaySeconds, mediaTime }
  return delaySeconds > 0 ? [{ durationSeconds: delaySeconds, mediaTime: undefined }, sound] : [sound]
}

/** Where an edit list ends the sound, in ticks. A frame more is no cut: the durations of edits are rounded. */
function editEnd({ edits, timescale }: Track): number {
  const { mediaTime, durationSeconds } = edits.at(-1) ?? {}
  const end = Math.round((durationSeconds ?? 0) * timescale) + AAC_FRAME
  return mediaTime === undefined ? Number.POSITIVE_INFINITY : mediaTime + end
}

/** When each sample starts, and after them when the last one ends. */
function startTicks(durations: Uint32Array): Float64Array {
  const starts = new Float64Array(durations.length + 1)
  durations.forEach((duration, index) => {
    starts[index + 1] = numberAt(starts, index) + duration
  })
  return starts
}

/** @returns 0 when all lie after `ticks` */
function lastAtOrBefore(starts: Float64Array, ticks: number): number {
  return Math.max(
    0,
    starts.findLastIndex((start) => start <= ticks),
  )
}
