import { ServiceError } from '@lantern-room/base'
import { PREVIEW_VIDEO } from '../ffmpeg/encodeArgs'
import { rawInput } from '../ffmpeg/ffmpegInput'
import { RGB_TO_PREVIEW } from '../ffmpeg/filters'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS } from '../frames'
import type { WebpDecoder } from '../ports'
import { type OriginalTraits, type Preview, UNKNOWN_CAPTURE, UNREAD } from '../traits'
import { explainRefusal } from './explainRefusal'
import { planStrip, previewAndTiles } from './frames/stripPlan'
import { previewSize } from './previewArgs'
import { type PreviewTask, runEncoder, takePreview } from './previewOutput'
import { stillFrames, webpTimeline, windowOfTimeline } from './timeline'
import { requireInside } from './window'

/**
 * Makes the preview of an animated WebP, which ffmpeg cannot decode.
 * @throws ServiceError as `preparePreview`
 */
export async function prepareWebp(webp: WebpDecoder, path: string, task: PreviewTask): Promise<Preview> {
  const animation = await webp.open(path)
  if (!animation) {
    throw new ServiceError(
      'unsupported-media',
      'WebP cannot be read by this installation. Send a GIF or a video.',
    )
  }
  const { firstFrame, maxFrames, signal, window, makesStrip = true } = task
  const whole = webpTimeline(animation.delaysMs)
  const sourceSeconds = whole.frames / FPS
  requireInside(window, sourceSeconds)
  const timeline = windowOfTimeline(whole.repeats, { firstFrame, maxFrames })
  const size = previewSize(animation, task.previewSize)
  const strip = makesStrip ? planStrip(size, timeline.frames, maxFrames) : undefined
  const picture = `scale=${size.width}:${size.height}:flags=bicubic,${RGB_TO_PREVIEW}`
  const graph = `[0:v:0]${picture}${previewAndTiles(strip)}`
  const outcome = await runEncoder(task, {
    args: [
      '-r',
      String(FPS),
      ...rawInput('rgb24', animation),
      '-filter_complex',
      graph,
      '-map',
      '[v]',
      ...PREVIEW_VIDEO,
    ],
    expectedFrames: timeline.frames,
    frames: timeline.frames,
    strip,
    stdin: stillFrames(animation.frames(signal), timeline.repeats),
  })
  requireSuccess(outcome, explainRefusal)
  const { width, height } = animation
  const original: OriginalTraits = { ...UNREAD, kind: 'webp', firstFrame, size: { width, height } }
  return takePreview(task, strip, { seconds: sourceSeconds, isCertain: true }, original, UNKNOWN_CAPTURE)
}
