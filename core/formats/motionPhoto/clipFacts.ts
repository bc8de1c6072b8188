import { readBoxesBetween } from '../mp4/boxes'
import { readMovie } from '../mp4/movie'
import { numberAt, type Reading, take } from '../source/reading'

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
    samples.offsets.some((at, i) => at + numberAt(samples.sizes, i) > length),
  )
  if (isCut) return { problem: 'The video is cut: its index names frames that are not there.' }
  if (!PLAYED_CODECS.has(video.codec)) {
    return { problem: 'No gallery plays the codec of the video. Most play H.264 (avc1), many HEVC (hvc1).' }
  }
  const { durationSeconds, samples } = video
  return {
    clip: {
      durationSeconds,
      codec: video.codec,
      width: video.width,
      height: video.height,
      frames: samples.count,
      fps: durationSeconds > 0 ? samples.count / durationSeconds : 0,
      hasAudio: movie.tracks.some(({ kind }) => kind === 'audio'),
    },
  }
}

const PROBLEMS = {
  'not-mp4': 'The video is no MP4.',
  incomplete: 'The video has no index (moov): it is cut.',
  fragmented: 'The video is a fragmented MP4, which galleries do not play.',
  malformed: 'The index of the video is damaged.',
} as const
