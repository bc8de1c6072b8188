import type { Track } from '@lantern-room/mp4'
import { endsOutside, type Movie, movieOf, readMoov, type SampleTable, total } from '@lantern-room/mp4'
import type { FileParts, Patch } from '@lantern-room/mp4/source'
import { numberAt, type Outcome, type Reading, type Sized, take, within } from '@lantern-room/mp4/source'
import type { VideoFormat } from '@lantern-room/mp4/video'
import {
  foreignSets,
  hasOwnSets,
  judgeVideo,
  readCodedStream,
  type VideoProblemCode,
  type VideoRate,
  withOwnSets,
} from '@lantern-room/mp4/video'

/** Where the clip lies in its file, in bytes. */
export type ClipPlace = { readonly offset: number; readonly length: number }

export type ClipFacts = {
  readonly durationSeconds: number
  /** Four-character code of the video's first sample entry, such as `avc1`. */
  readonly codec: string
  readonly width: number
  readonly height: number
  readonly frames: number
  /** The average frame rate of the video; 0 when it has no duration. */
  readonly fps: number
  readonly hasAudio: boolean
  /** Of H.264 and HEVC. */
  readonly format: VideoFormat | undefined
  /** What is wrong with its pictures for phones. */
  readonly problems: readonly ClipProblem[]
  /** The sample entry as Apple's programs take it, where only that is wrong for them: of the same length, at its place in the file. */
  readonly renamed?: Patch | undefined
}

export type ClipProblem = {
  readonly code: VideoProblemCode
  readonly detail: string
  /** What a repair does about it; undefined when nothing can be done. */
  readonly repair: string | undefined
}

const PLAYED_CODECS = new Set('avc1 avc3 hvc1 hev1 av01 mp4v'.split(' '))

/** Reads the index of a clip that lies in a photo. */
export function* readClip(
  file: Sized,
  { offset: start, length }: ClipPlace,
): Reading<Outcome<{ readonly clip: ClipFacts }, string>> {
  const { moov, problem: missing } = yield* within(readMoov({ size: length }), start)
  if (!moov) return { problem: PROBLEMS[missing] }
  const { movie, problem } = movieOf(moov.bytes)
  if (!movie) return { problem: PROBLEMS[problem] }
  const video = playedVideo(movie, length)
  if (typeof video === 'string') return { problem: video }
  const { durationSeconds, samples, codec, width, height } = video
  const perSecond = durationSeconds > 0 ? 1 / durationSeconds : 0
  const rate = { frames: samples.count * perSecond, bits: total(samples.sizes) * 8 * perSecond }
  const keyFrames = JUDGED_CODECS.test(codec) ? yield* readKeyFrames(file, start, samples) : undefined
  const judged = keyFrames ? judgeVideo(video, keyFrames, rate) : { format: undefined, problems: [] }
  const entry = keyFrames && renamedEntry(video, keyFrames)
  const entryAt = start + moov.start + video.sampleEntry.byteOffset
  return {
    clip: {
      durationSeconds,
      codec,
      width,
      height,
      frames: samples.count,
      fps: rate.frames,
      hasAudio: movie.tracks.some(({ kind }) => kind === 'audio'),
      format: judged.format,
      problems: judged.problems.map((code) =>
        code === 'clip-hev1' && entry
          ? MENDED_ENTRY
          : { code, detail: SENTENCES[code](judged.format, rate), repair: undefined },
      ),
      renamed: entry && { offset: entryAt, bytes: entry },
    },
  }
}

/** The video of a clip of `size` bytes. @returns why no gallery plays it, if none does */
function playedVideo({ tracks }: Movie, size: number): Track | string {
  const video = tracks.find(({ kind }) => kind === 'video')
  if (!video || video.samples.count === 0) return 'The video has no frames.'
  if (tracks.some(({ samples }) => endsOutside({ samples, first: 0, end: samples.count }, size)))
    return 'The video is cut: its index names frames that are not there.'
  if (PLAYED_CODECS.has(video.codec)) return video
  return 'No gallery plays the codec of the video. Most play H.264 (avc1), many HEVC (hvc1).'
}

/** @returns undefined when the entry is as Apple's programs want it, or samples need parameter sets that are not in it */
function renamedEntry(
  { sampleEntry, entryCount }: Track,
  keyFrames: readonly Uint8Array[],
): Uint8Array | undefined {
  const stream = entryCount === 1 ? readCodedStream(sampleEntry) : undefined
  if (!stream || !hasOwnSets(stream) || foreignSets(stream, keyFrames).length > 0) return undefined
  return withOwnSets(sampleEntry)
}

/** The bytes of a clip, with the sample entry that Apple's programs take. @param place in its file */
export function clipParts({ offset, length }: ClipPlace, { renamed }: ClipFacts): FileParts {
  const end = offset + length
  if (!renamed) return [{ start: offset, end }]
  const { offset: start, bytes } = renamed
  return [{ start: offset, end: start }, bytes, { start: start + bytes.length, end }]
}

const JUDGED_CODECS = /^(avc|hvc|hev)\d$/

/** Parameter sets come first, and are some hundred bytes. */
const KEY_FRAME_BYTES = 4096
const MAX_KEY_FRAMES = 256

/** The first bytes of the clip's key frames. */
function* readKeyFrames(
  file: Sized,
  start: number,
  { sync, offsets, sizes }: SampleTable,
): Reading<Uint8Array[]> {
  const frames: Uint8Array[] = []
  for (let at = sync.indexOf(1); at !== -1 && frames.length < MAX_KEY_FRAMES; at = sync.indexOf(1, at + 1)) {
    const from = start + numberAt(offsets, at)
    frames.push(yield* take(file, from, from + Math.min(numberAt(sizes, at), KEY_FRAME_BYTES)))
  }
  return frames
}

const REFUSED_ENTRY = "The video's sample entry is hev1 or avc3, which Apple's programs refuse."

const MENDED_ENTRY: ClipProblem = {
  code: 'clip-hev1',
  detail: REFUSED_ENTRY,
  repair: 'write hvc1 or avc1 instead: all parameter sets are in the entry',
}

const ANEW = 'Make the photo anew of the original video, with quality=preview.'

/** For a person: what is wrong, and what to do. */
const SENTENCES: Readonly<
  Record<VideoProblemCode, (format: VideoFormat | undefined, rate: VideoRate) => string>
> = {
  'clip-codec': (format) =>
    format
      ? `Phones do not decode the video: it is ${format.codec} ${format.profile} with ${format.bitDepth} bits and ${format.chroma}. ${ANEW}`
      : `The parameters that a decoder needs are missing in the video, or damaged. ${ANEW}`,
  'clip-interlaced': () => `The video is interlaced, which phones do not decode or show with combs. ${ANEW}`,
  'clip-size': (format) =>
    `The pictures of the video are ${format?.width} × ${format?.height} at level ${format?.level}; many phones decode up to 4096 × 2304 at level 5.2. ${ANEW}`,
  'clip-rate': (_, { frames, bits }) =>
    `The video has ${Math.round(frames)} frames and ${Math.round(bits / 1e6)} Mbit a second, more than phones decode. ${ANEW}`,
  'clip-changes': () => `The pictures change their size or form inside the video. ${ANEW}`,
  'clip-mirrored': () =>
    `The video is to be shown mirrored or sheared, which galleries of Android do not do. ${ANEW}`,
  'clip-hev1': () =>
    `${REFUSED_ENTRY} They need parameter sets that are not in it. Make the photo anew of the original video: its clip then has hvc1 or avc1.`,
}

const PROBLEMS = {
  'not-mp4': 'The video is no MP4.',
  incomplete: 'The video has no index (moov): it is cut.',
  fragmented: 'The video is a fragmented MP4, which galleries do not play.',
  malformed: 'The index of the video is damaged.',
} as const
