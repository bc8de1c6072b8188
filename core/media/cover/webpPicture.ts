import { ServiceError } from '#core/errors'
import type { WebpAnimation } from '../ports'
import { webpTimeline } from '../prepare/timeline'

/**
 * The picture of an animated WebP that the preview shows in frame `frame`.
 * @param animation undefined when this installation can no longer read WebP
 * @returns width × height × 3 bytes of RGB
 * @throws ServiceError `unavailable`, `internal`
 */
export async function webpPicture(
  animation: WebpAnimation | undefined,
  frame: number,
  maxSeconds: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (!animation) {
    throw new ServiceError('unavailable', 'WebP cannot be read by this installation any more.')
  }
  const { repeats } = webpTimeline(animation.delaysMs, maxSeconds)
  let left = frame
  const wanted = repeats.findIndex((count) => {
    left -= count
    return left < 0
  })
  let index = 0
  for await (const picture of animation.frames(signal)) {
    if (index === wanted) return picture
    index += 1
  }
  throw new ServiceError('internal', 'The cover could not be taken from the original.')
}
