import { readBoxesBetween } from '../mp4/boxes'
import { readMovie } from '../mp4/movie'
import { endsOutside } from '../mp4/readSamples'
import { type SampleTable, total } from '../mp4/sampleTable'
import { numberAt, type Reading, take } from '../source/reading'
import { judgeVideo, type VideoProblemCode, type VideoRate } from '../video/playback'
import type { VideoFormat } from '../video/videoFormat'

/** What a gallery needs to know of a clip. */
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
}

export type ClipProblem = {
  readonly code: VideoProblemCode
  readonly detail: string
}

export type ClipResult =
  | { readonly clip: ClipFacts; readonly problem?: undefined }
  | { readonly clip?: undefined; readonly problem: string }

/** The index of a minute of video has some 30 KB. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024

const MAX_TOP_BOXES = 1024

const PLAYED_CODECS = new Set('avc1 avc3 hvc1 hev1 av01 mp4v'.split(' '))

/** Reads the index of a clip that lies in a photo. */
export function* readClip(
  file: { readonly size: number },
  place: { readonly offset: number; readonly length: number },
): Reading<ClipResult> {
  const { offset: start, length } = place
  const boxes = yield* readBoxesBetween(file, { start, end: start + length, maxCount: MAX_TOP_BOXES })
  const moov = boxes.find(({ type }) => type === 'moov')
  if (!moov) return { problem: 'The video has no index (moov): it is cut.' }
  if (moov.size > MAX_INDEX_BYTES) return { problem: 'The index of the video is too large.' }
  const { movie, problem } = readMovie(yield* take(file, moov.start, moov.start + moov.size))
  if (!movie) return { problem: PROBLEMS[problem] }
  const video = movie.tracks.find(({ kind }) => kind === 'video')
  if (!video || video.samples.count === 0) return { problem: 'The video has no frames.' }
  const isCut = movie.tracks.some(({ samples }) =>
    endsOutside({ samples, first: 0, end: samples.count }, length),
  )
  if (isCut) return { problem: 'The video is cut: its index names frames that are not there.' }
  if (!PLAYED_CODECS.has(video.codec)) {
    return { problem: 'No gallery plays the codec of the video. Most play H.264 (avc1), many HEVC (hvc1).' }
  }
  const { durationSeconds, samples, codec, width, height } = video
  const perSecond = durationSeconds > 0 ? 1 / durationSeconds : 0
  const rate = { frames: samples.count * perSecond, bits: total(samples.sizes) * 8 * perSecond }
  const judged = JUDGED_CODECS.test(codec)
    ? judgeVideo(video, yield* readKeyFrames(file, start, samples), rate)
    : { format: undefined, problems: [] }
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
      problems: judged.problems.map((code) => ({ code, detail: SENTENCES[code](judged.format, rate) })),
    },
  }
}

const JUDGED_CODECS = /^(avc|hvc|hev)\d$/

/** Parameter sets come first, and are some hundred bytes. */
const KEY_FRAME_BYTES = 4096
const MAX_KEY_FRAMES = 256

/** The first bytes of the clip's key frames. */
function* readKeyFrames(
  file: { readonly size: number },
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
    "The video's sample entry is hev1 or avc3, which Apple's programs refuse. Make the photo anew of the original video: its clip then has hvc1 or avc1.",
}

const PROBLEMS = {
  'not-mp4': 'The video is no MP4.',
  incomplete: 'The video has no index (moov): it is cut.',
  fragmented: 'The video is a fragmented MP4, which galleries do not play.',
  malformed: 'The index of the video is damaged.',
} as const
