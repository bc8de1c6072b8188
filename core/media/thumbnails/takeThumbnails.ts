import { ServiceError } from '#core/errors'
import { walkJpeg } from '#core/formats/jpeg/jpeg'
import type { ByteSource } from '#core/formats/source/byteSource'
import type { MediaLimits } from '../config'
import { plainInput, UNPROBED } from '../ffmpeg/ffmpegInput'
import { previewToJpegPicture } from '../ffmpeg/filters'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS } from '../frames'
import type { Ffmpeg } from '../ports'
import { type PreviewTrack, planFrames, readFrameStream } from './frameStream'

export type TakeThumbnailsDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly limits: Pick<MediaLimits, 'convertTimeoutSeconds'>
}

/** What thumbnails are taken of. */
export type OpenPreview = { readonly source: ByteSource; readonly track: PreviewTrack }

/**
 * Takes frames of a preview as JPEGs of at most `width` pixels, by one run of ffmpeg. Only the groups of these frames are
 * read.
 * @param frames in ascending order, without duplicates
 * @returns the JPEGs in the same order
 * @throws ServiceError `timeout`, `internal`, `unavailable`, `not-found` when the preview was removed meanwhile
 */
export async function takeThumbnails(
  { ffmpeg, limits }: TakeThumbnailsDependencies,
  { source, track }: OpenPreview,
  frames: readonly number[],
  width: number,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const plan = planFrames(track.samples, frames)
  const stdin = await readFrameStream(source, track, plan)
  const args = thumbnailArgs(plan.pictures, width)
  const outcome = await ffmpeg.run({ args, stdin, timeoutMs: limits.convertTimeoutSeconds * 1000, signal })
  requireSuccess(outcome, conversionError)
  const pictures = splitPictures(outcome.stdout)
  if (pictures.length === frames.length) return pictures
  throw new ServiceError('internal', 'The thumbnail could not be made. Try another time.', {
    cause: new Error(`${pictures.length} pictures of ${frames.length}: ${outcome.stderr}`),
  })
}

/** Pictures of an H.264 stream on standard input, counted from 0, as JPEGs on standard output, one after the other. */
export function thumbnailArgs(pictures: readonly number[], width: number): string[] {
  const wanted = pictures.map((picture) => `eq(n,${picture})`).join('+')
  // Without gaps in the times no picture is repeated.
  const filters = [`select='${wanted}'`, `setpts=N/${FPS}/TB`, previewToJpegPicture(width)].join(',')
  return [
    ...plainInput('h264', ['-threads', '1', UNPROBED, '-framerate', String(FPS)]),
    ...['-map', '0:v:0', '-vf', filters, '-r', String(FPS), '-frames:v', String(pictures.length)],
    ...['-c:v', 'mjpeg', '-color_range', 'pc', '-strict', 'unofficial', '-threads', '1'],
    ...['-q:v', '3', '-f', 'mjpeg', 'pipe:1'],
  ]
}

function splitPictures(bytes: Uint8Array): Uint8Array[] {
  const pictures: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = walkJpeg(bytes.subarray(at))?.end
    if (end === undefined) break
    pictures.push(bytes.subarray(at, at + end))
    at += end
  }
  return pictures
}
