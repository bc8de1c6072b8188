import { latin1 } from '@lantern-room/base/bytes'
import type { Movie } from '@lantern-room/mp4'
import type { ByteSource } from '@lantern-room/mp4/source'
import { type FileParts, patchedParts, readFrom } from '@lantern-room/mp4/source'
import type { MovieTags } from '../capture/movieTags'
import { readApng } from '../png/apng'
import { surveyMovie } from './surveyMovie'

/** A video or an animation, before another program reads it. */
export type SurveyedVideo = {
  /** The index of an MP4 or MOV that is not in fragments. */
  readonly movie: Movie | undefined
  /** What an MP4 or MOV says of its recording. */
  readonly tags: MovieTags | undefined
  readonly isEncrypted: boolean
  /** Whether it is a PNG that does not move. */
  readonly isStill: boolean
  /** The file in which what ffmpeg would read otherwise than players do is written out; undefined where there is no such thing. */
  readonly writtenOut: FileParts | undefined
}

/**
 * Looks into a video or an animation for what ffmpeg reads otherwise than players do: edits of an MP4 that last to the end of their track,
 * delays of 0 in a PNG.
 * @throws FormatError `too-many-parts` as `readApng`; what the source throws; the signal's reason
 * @example
 * const { movie, writtenOut } = await surveyVideo(source)
 * if (writtenOut) for await (const piece of bytesOfParts(writtenOut, source)) write(piece)
 */
export async function surveyVideo(source: ByteSource, signal?: AbortSignal): Promise<SurveyedVideo> {
  const { movie, tags, isEncrypted, patches } = await surveyMovie(source)
  const apng = (await isPng(source)) ? await readFrom(readApng(source), source, signal) : undefined
  const changes = apng?.patches ?? patches
  return {
    movie,
    tags,
    isEncrypted,
    isStill: apng?.isAnimated === false,
    writtenOut: changes.length > 0 ? patchedParts(source, changes) : undefined,
  }
}

/** Whether a file begins as a PNG does. @throws what the source throws */
export async function isPng(source: ByteSource): Promise<boolean> {
  return latin1(await source.read(0, Math.min(4, source.size))) === '\x89PNG'
}
