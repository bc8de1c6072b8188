import { equalBytes } from '@lantern-room/base/bytes'
import { encodeAvcSample, readAvcStream } from '../avc/annexB'
import { keepEverySecond } from '../avc/keepEverySecond'
import { keyFramesUnlike } from '../avc/keyFramesUnlike'
import { sliceTrack } from '../movie/encodeTrack'
import { readSamples } from '../movie/readSamples'
import { joinMovie } from '../movie/writeMovie'
import type { ByteSource } from '../source/byteSource'
import type { Pictures } from './copySource'
import { copiedStep, type FrameStep, type PictureCut, type PlayedRate } from './cutPictures'
import type { SoundCut } from './cutSound'

/** Divides the usual rates, and keeps the error of the others below what any player can show. */
const CLIP_TIMESCALE = 90_000

/** Which frames of a cut are copied, and which have to be encoded before them. */
export type CopyPlan = {
  readonly cut: PictureCut
  /** 2 shows the first frame, and then every second one as counted from the first key frame. */
  readonly step: FrameStep
  /** The samples from the cut's first key frame on, of the frames that are shown. */
  readonly copied: readonly Uint8Array[]
  /** The frames that are encoded, since their group begins before the clip: counted from the clip's first. */
  readonly headFrames: readonly number[]
  /** From the beginning of the group in which the clip begins to its first key frame. */
  readonly head: readonly Uint8Array[]
  /** The sample that follows the encoded ones; undefined where none is copied. */
  readonly next: Uint8Array | undefined
  /** The bytes of the sound's samples; none without sound. */
  readonly sound: readonly Uint8Array[]
}

/**
 * Plans a clip of copied frames, and reads their samples and those of its sound with few reads.
 * @param source of the track that is cut
 * @returns undefined when the track is not plain, there would be too many or too few frames in a second, or copied frames would need some
 *   that are left out
 * @throws FormatError `damaged` as `readSamples`; what the source throws
 * @example
 * const plan = await planCopy(source, cutPictures(video, 12, 90), { speed: 2, fps: 30 })
 * if (plan) encode(headMovie(plan), plan.headFrames)
 */
export async function planCopy(
  source: ByteSource,
  cut: PictureCut,
  played: PlayedRate,
  sound?: SoundCut,
): Promise<CopyPlan | undefined> {
  const step = copiedStep(cut, played)
  if (!step) return undefined
  const [pictureSamples = [], soundSamples = []] = await readSamples(source, [
    { samples: cut.track.samples, first: cut.group, end: cut.end },
    ...(sound ? [{ samples: sound.track.samples, first: sound.first, end: sound.end }] : []),
  ])
  return planOf(cut, step, pictureSamples, soundSamples)
}

/** @param samples of the pictures, from `cut.group` on */
export function planOf(
  cut: PictureCut,
  step: FrameStep,
  samples: readonly Uint8Array[],
  sound: readonly Uint8Array[] = [],
): CopyPlan | undefined {
  const copied = keepPictures(cut.track, samples.slice(cut.key - cut.group), step)
  return (
    copied && {
      cut,
      step,
      copied,
      headFrames: chooseHeadFrames(cut.key - cut.start, step),
      head: samples.slice(0, cut.key - cut.group),
      next: samples[cut.key - cut.group],
      sound,
    }
  )
}

/**
 * An MP4 of the frames that have to be decoded for those that are encoded: its frame `cut.start - cut.group` is the clip's first.
 * @example
 * const { stdout } = await ffmpeg.run({ args, stdin: headMovie(plan), timeoutMs, signal })
 */
export function headMovie({ cut: { track, group, key }, head }: CopyPlan): Uint8Array {
  return joinMovie([{ track: sliceTrack(track, group, key), samples: head }])
}

/**
 * The pictures of a clip: the encoded ones, then copied ones.
 * @param encoded the H.264 stream of the plan's `headFrames`, each a picture; of one alone two key frames, of which one is used; empty where
 *   there are none
 * @param shown.seconds how long the clip is shown; the last picture is held as long as it takes
 * @returns undefined when the encoded pictures need other parameters than the copied ones, or are not as many as planned
 * @example
 * const pictures = copyFrames(plan, stdout, { speed: 2, fps: 30, seconds: 1.3 })
 */
export function copyFrames(
  { cut, step, copied, headFrames, next }: CopyPlan,
  encoded: Uint8Array,
  { speed, fps, seconds }: PlayedRate & { readonly seconds: number },
): Pictures | undefined {
  const head = headFrames.length === 0 ? [] : headOf(encoded, cut.track, headFrames.length, next)
  if (!head) return undefined
  const samples = [...head, ...copied]
  const frames = [...headFrames, ...copied.map((_, index) => cut.key - cut.start + index * step)]
  const starts = frames.map((frame) => Math.round((frame * CLIP_TIMESCALE) / (fps * speed)))
  const endTicks = Math.round(seconds * CLIP_TIMESCALE)
  return {
    samples,
    times: starts.map((ticks) => ticks / CLIP_TIMESCALE),
    track: {
      kind: 'video',
      sampleEntry: cut.track.sampleEntry,
      timescale: CLIP_TIMESCALE,
      sizes: Uint32Array.from(samples, ({ length }) => length),
      durations: Uint32Array.from(starts, (ticks, index) => (starts[index + 1] ?? endTicks) - ticks),
      compositionOffsets: undefined,
      sync: Uint8Array.from(frames, (frame) =>
        frame === 0 ? 1 : (cut.track.samples.sync[cut.start + frame] ?? 0),
      ),
      edits: [{ durationSeconds: seconds, mediaTime: 0 }],
      display: cut.track.display,
    },
  }
}

function keepPictures(
  { avc }: PictureCut['track'],
  samples: readonly Uint8Array[],
  step: FrameStep,
): readonly Uint8Array[] | undefined {
  if (step === 1 || samples.length === 0) return samples
  const [sps] = avc?.sps ?? []
  const [pps] = avc?.pps ?? []
  return sps && pps && keepEverySecond(samples, { sps, pps })
}

/**
 * Which of the frames before the first copied one are shown: the first, and from the copied one backwards each `step`th that is
 * not shown sooner after the first than others are after each other.
 * @param length how many there are
 */
function chooseHeadFrames(length: number, step: FrameStep): number[] {
  return Array.from({ length }, (_, frame) => frame).filter(
    (frame) => frame === 0 || (frame >= step && (length - frame) % step === 0),
  )
}

/** @returns as many samples as wanted; undefined when the encoder made something else */
function headOf(
  encoded: Uint8Array,
  { avc }: PictureCut['track'],
  count: number,
  next: Uint8Array | undefined,
): readonly Uint8Array[] | undefined {
  const { sps, pps, pictures } = readAvcStream(encoded)
  if (!sps || !isOnly(avc?.sps, sps) || !isOnly(avc?.pps, pps)) return undefined
  const head = count === 1 ? keyFramesUnlike(sps, pictures, next).slice(0, 1) : pictures
  return head.length === count ? head.map(encodeAvcSample) : undefined
}

function isOnly(units: readonly Uint8Array[] | undefined, unit: Uint8Array | undefined): boolean {
  const [only, another] = units ?? []
  return only !== undefined && unit !== undefined && !another && equalBytes(only, unit)
}
