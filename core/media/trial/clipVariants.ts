import { ServiceError } from '#core/errors'
import { AAC_FRAME, encodeAacEntry, silentAacFrame } from '#core/formats/mp4/aac'
import { readMovie } from '#core/formats/mp4/movie'
import { sliceTrack } from '#core/formats/mp4/sliceTrack'
import type { Track } from '#core/formats/mp4/track'
import { type FilledTrack, joinMovie } from '#core/formats/mp4/writeMovie'

/** Of the silence that is added. */
const RATE = 48_000
const CHANNELS = 2

type Tracks = { readonly video: Track; readonly audio: Track | undefined }

/** @param clip an MP4 of our own making @throws ServiceError `internal` */
export function tracksOfClip(clip: Uint8Array): Tracks {
  const tracks = readMovie(clip).movie?.tracks ?? []
  const video = tracks.find(({ kind }) => kind === 'video')
  if (!video) throw new ServiceError('internal', 'The clip could not be read back. Try again.')
  return { video, audio: tracks.find(({ kind }) => kind === 'audio') }
}

/** The clip without its sound. Its pictures and their times stay. */
export function withoutSound(clip: Uint8Array): Uint8Array {
  return joinMovie([filled(clip, tracksOfClip(clip).video)])
}

/** The clip with silence as its sound, AAC in stereo. Its pictures and their times stay. */
export function withSilence(clip: Uint8Array): Uint8Array {
  const { video } = tracksOfClip(clip)
  const frame = silentAacFrame(CHANNELS) ?? new Uint8Array()
  const count = Math.max(1, Math.ceil((video.durationSeconds * RATE) / AAC_FRAME))
  const samples = Array.from({ length: count }, () => frame)
  const track = {
    kind: 'audio',
    sampleEntry: encodeAacEntry(RATE, CHANNELS),
    timescale: RATE,
    sizes: Uint32Array.from(samples, ({ length }) => length),
    durations: new Uint32Array(count).fill(AAC_FRAME),
    compositionOffsets: undefined,
    sync: undefined,
    edits: [{ durationSeconds: video.durationSeconds, mediaTime: 0 }],
    display: undefined,
  } as const
  return joinMovie([filled(clip, video), { track, samples }])
}

/** The pictures of one clip with the sound of another. */
export function withPicturesOf(pictures: Uint8Array, clip: Uint8Array): Uint8Array {
  const { audio } = tracksOfClip(clip)
  const video = filled(pictures, tracksOfClip(pictures).video)
  return joinMovie(audio ? [video, filled(clip, audio)] : [video])
}

/** The bytes of the samples of a track, in the order of decoding. */
export function samplesOf(clip: Uint8Array, { samples }: Track): Uint8Array[] {
  return Array.from({ length: samples.count }, (_, i) => {
    const start = samples.offsets[i] ?? 0
    return clip.subarray(start, start + (samples.sizes[i] ?? 0))
  })
}

function filled(clip: Uint8Array, track: Track): FilledTrack {
  return {
    track: sliceTrack(track, 0, track.samples.count, track.edits),
    samples: samplesOf(clip, track),
  }
}
