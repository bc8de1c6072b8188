import { concatBytes } from '@lantern-room/base/bytes'
import { encodeAnnexB, parameterSets } from '../avc/annexB'
import { readIndex } from '../movie/readIndex'
import { readSamples } from '../movie/readSamples'
import type { AvcConfiguration } from '../movie/sampleEntry'
import type { SampleTable } from '../movie/sampleTable'
import type { ByteSource } from '../source/byteSource'
import type { Outcome } from '../source/reading'

/** A video track without B-frames, as far as its frames are read from it. */
export type FrameTrack = { readonly samples: SampleTable; readonly avc: AvcConfiguration }

/**
 * Finds the frames of an MP4 or MOV of H.264 without B-frames, of which each sample is one. Only the index is read.
 * @returns the track, or why there is none, in words for developers
 * @throws what the source throws
 * @example
 * const { track, problem } = await findFrames(source)
 * if (!track) throw new Error(problem)
 */
export async function findFrames(
  source: ByteSource,
): Promise<Outcome<{ readonly track: FrameTrack }, string>> {
  const { movie, problem } = await readIndex(source)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (video?.avc && !video.samples.compositionOffsets)
    return { track: { samples: video.samples, avc: video.avc } }
  return { problem: problem ?? 'no H.264 track without B-frames' }
}

/**
 * The memory that a track takes, in bytes: per sample its size, place, duration and whether decoding can start there.
 * @example
 * const cache = createByteCache(MAX_BYTES, frameTrackBytes)
 */
export function frameTrackBytes({ samples, avc }: FrameTrack): number {
  return samples.count * (4 + 8 + 4 + 1) + avc.bytes.length
}

/**
 * Reads what has to be decoded to see some frames, as one H.264 stream: from the key frame of each group to the last wanted frame in it.
 * @param frames in ascending order, without duplicates
 * @returns with the stream, which of its pictures are the wanted ones, from 0
 * @throws FormatError `damaged` as `readSamples`; RangeError when a sample is cut; what the source throws
 * @example
 * const { stream, pictures } = await readFrameStream(source, track, [30, 45])
 */
export async function readFrameStream(
  source: ByteSource,
  { samples, avc }: FrameTrack,
  frames: readonly number[],
): Promise<{ readonly stream: Uint8Array; readonly pictures: readonly number[] }> {
  const { ranges, pictures } = planFrames(samples, frames)
  const groups = await readSamples(source, ranges)
  // Parameter sets separate the groups: without them decoders may take two key frames in a row for one picture.
  const stream = concatBytes(
    groups.flatMap((group) => [
      ...parameterSets(avc),
      ...group.flatMap((sample) => encodeAnnexB(sample, avc.lengthSize)),
    ]),
  )
  return { stream, pictures }
}

/**
 * Which samples must be decoded to see frames of a track without B-frames: samples are frames.
 * @param frames in ascending order, without duplicates
 * @returns ranges from the key frame of a group to the last wanted frame in it, and which pictures of these are the wanted ones
 */
export function planFrames(samples: SampleTable, frames: readonly number[]) {
  const ranges: { samples: SampleTable; first: number; end: number }[] = []
  const pictures: number[] = []
  let before = 0
  for (const frame of frames) {
    const key = Math.max(0, samples.sync.lastIndexOf(1, frame))
    const last = ranges.at(-1)
    if (last?.first === key) last.end = frame + 1
    else {
      before += last ? last.end - last.first : 0
      ranges.push({ samples, first: key, end: frame + 1 })
    }
    pictures.push(before + frame - key)
  }
  return { ranges, pictures }
}
