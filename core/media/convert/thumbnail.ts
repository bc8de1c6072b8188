import type { Ffmpeg } from '../ports'
import type { Converting } from './convertClip'
import { thumbnailArgs } from './coverArgs'
import { mustSucceed } from './outcome'

/** Takes one frame of a preview as a JPEG of at most `width` pixels. */
export function createThumbnail(dependencies: {
  readonly ffmpeg: Ffmpeg
  readonly timeoutSeconds: number
}): Converting['thumbnail'] {
  const timeoutMs = dependencies.timeoutSeconds * 1000
  return async (preview, frame, width, signal) => {
    const args = thumbnailArgs(preview, frame, width)
    const outcome = await dependencies.ffmpeg.run({ args, timeoutMs, signal })
    mustSucceed(outcome)
    return outcome.stdout
  }
}
