import { ServiceError } from '#core/errors'
import { locateMoov, readMovie } from '#core/formats/mp4/movie'
import type { WorkFolder } from '../ports'

export type PreviewFacts = {
  readonly frames: number
  readonly width: number
  readonly height: number
  /** Seconds of sound; 0 without sound. */
  readonly audioSeconds: number
}

/** Enough to find the index, which comes first in an MP4 made by this service. */
const HEAD_BYTES = 65_536

/**
 * Reads the properties of an MP4 made by this service from its index alone.
 * @throws ServiceError `internal` when the index is not as expected
 */
export async function readPreview(folder: WorkFolder, name: string): Promise<PreviewFacts> {
  const size = (await folder.size(name)) ?? 0
  const head = await folder.read(name, { start: 0, end: Math.min(size, HEAD_BYTES) - 1 })
  const moov = locateMoov(head)
  if (!moov || moov.offset + moov.length > size) throw unreadable('no index')
  const index = await folder.read(name, { start: moov.offset, end: moov.offset + moov.length - 1 })
  const { movie, problem } = readMovie(index, { fileOffset: moov.offset })
  if (!movie) throw unreadable(problem)
  // Without a single picture some versions of ffmpeg write no track for pictures.
  const video = movie.tracks.find(({ kind }) => kind === 'video')
  const audio = movie.tracks.find(({ kind }) => kind === 'audio')
  return {
    frames: video?.samples.count ?? 0,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    audioSeconds: audio?.durationSeconds ?? 0,
  }
}

function unreadable(cause: string): ServiceError {
  return new ServiceError('internal', 'The preview could not be read back. Try again.', { cause })
}
