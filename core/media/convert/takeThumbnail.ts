import type { MediaLimits } from '../config'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import type { Ffmpeg } from '../ports'
import { thumbnailArgs } from './coverArgs'

export type TakeThumbnailDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly limits: Pick<MediaLimits, 'convertTimeoutSeconds'>
}

/** Takes one frame of a preview as a JPEG of at most `width` pixels. @throws ServiceError `timeout`, `internal`, `unavailable` */
export async function takeThumbnail(
  { ffmpeg, limits }: TakeThumbnailDependencies,
  preview: string,
  frame: number,
  width: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const outcome = await ffmpeg.run({
    args: thumbnailArgs(preview, frame, width),
    timeoutMs: limits.convertTimeoutSeconds * 1000,
    signal,
  })
  requireSuccess(outcome, conversionError)
  return outcome.stdout
}
