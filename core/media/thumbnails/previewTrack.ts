import { ServiceError } from '#core/errors'
import { readIndex } from '#core/formats/mp4/readIndex'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { PreviewTrack } from './frameStream'

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
