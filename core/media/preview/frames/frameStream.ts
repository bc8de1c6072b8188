import { concatBytes, ServiceError } from '@lantern-room/base'
import type { ByteSource } from '@lantern-room/formats'
import { readIndex } from '@lantern-room/formats'
import type { AvcConfiguration, SampleTable } from '@lantern-room/formats/parts'
import { encodeAnnexB, parameterSets, readSamples, type SampleRange } from '@lantern-room/formats/parts'
import { refusals } from '#media/formatRefusal'

/** The video track of a preview, as far as its frames are read from it. */
export type PreviewTrack = { readonly samples: SampleTable; readonly avc: AvcConfiguration }

/**
 * Which samples must be decoded to see frames of a preview, which has no B-frames: samples are frames.
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

/**
 * Reads what a plan needs, as one stream for a decoder.
 * @throws ServiceError as `readSamples`; RangeError when a sample is cut
 */
export async function readFrameStream(
  source: ByteSource,
  { avc }: PreviewTrack,
  { ranges }: { readonly ranges: readonly SampleRange[] },
): Promise<Uint8Array> {
  const groups = await refusals(readSamples(source, ranges))
  // Parameter sets separate the groups: without them decoders may take two key frames in a row for one picture.
  return concatBytes(
    groups.flatMap((group) => [
      ...parameterSets(avc),
      ...group.flatMap((sample) => encodeAnnexB(sample, avc.lengthSize)),
    ]),
  )
}

/**
 * Reads where the frames of a preview lie.
 * @throws ServiceError `internal` when it is no preview of ours; what the source throws
 */
export async function readPreviewTrack(source: ByteSource): Promise<PreviewTrack> {
  const { movie, problem } = await readIndex(source)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  if (video?.avc && !video.samples.compositionOffsets) return { samples: video.samples, avc: video.avc }
  throw new ServiceError('internal', 'The preview cannot be read. Upload the video again.', {
    cause: new Error(problem ?? 'no H.264 track without B-frames'),
  })
}

/** The memory that a track takes: per sample its size, place, duration and whether decoding can start there. */
export function trackBytes({ samples, avc }: PreviewTrack): number {
  return samples.count * (4 + 8 + 4 + 1) + avc.bytes.length
}
