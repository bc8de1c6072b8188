import { concatBytes } from '#core/bytes'
import { readMovie } from '#core/media/mp4/movie'
import { writeMovie } from '#core/media/mp4/writeMovie'
import { buildMp4, fastStart } from '../mp4/sampleMp4'

const GROUP = 15
const SAMPLE_BYTES = 5

/** An MP4 with groups of 15 frames, each one unit of one byte: the frame's number. It cannot be decoded. */
export function tinyPreview(frames: number): Uint8Array {
  const like = readMovie(buildMp4(fastStart)).movie?.tracks[0]
  if (!like) throw new Error('The sample has no track.')
  const { head } = writeMovie([
    {
      kind: 'video',
      sampleEntry: like.sampleEntry,
      timescale: 15_360,
      sizes: new Uint32Array(frames).fill(SAMPLE_BYTES),
      durations: new Uint32Array(frames).fill(512),
      compositionOffsets: undefined,
      sync: Uint8Array.from({ length: frames }, (_, index) => (index % GROUP === 0 ? 1 : 0)),
      edits: [],
      display: like.display,
    },
  ])
  const media = Array.from({ length: frames }, (_, index) => Uint8Array.of(0, 0, 0, 1, index))
  return concatBytes([head, ...media])
}
