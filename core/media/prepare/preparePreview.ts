import { withDeadline } from '#core/async/deadline'
import type { Clock } from '#core/clock'
import { ServiceError, tooSlow } from '#core/errors'
import type { MediaConfig, MediaLimits } from '../config'
import { mp4Output, PREVIEW_VIDEO, PROGRESS } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { RGB_TO_PREVIEW } from '../ffmpeg/filters'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS, secondsText } from '../frames'
import type { Ffmpeg, FfmpegOutcome, WebpAnimation, WebpDecoder, WorkFolder } from '../ports'
import type { OriginalTraits, Preview, SourceKind } from '../traits'
import { explainRefusal } from './explainRefusal'
import { previewArgs, soundTries } from './previewArgs'
import { readPreview } from './previewFile'
import { previewSize } from './previewSize'
import type { Probe } from './probe'
import { animationFrames, probeFile } from './probeFile'
import { stillFrames, webpTimeline } from './timeline'

export type PrepareDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly clock: Pick<Clock, 'after'>
  readonly previewSize: MediaConfig['previewSize']
  readonly limits: Pick<MediaLimits, 'maxInputSeconds' | 'prepareTimeoutSeconds'>
}

export type Source = { readonly path: string; readonly kind: SourceKind }

export type PrepareTask = {
  readonly folder: WorkFolder
  readonly signal: AbortSignal
  /** 0 to 1. */
  readonly onProgress?: (share: number) => void
  /** Seconds of the source that are needed: the preview may end there. Undefined for as much as is allowed. */
  readonly maxSeconds?: number
}

type Preparation = PrepareDependencies &
  PrepareTask &
  Source & { readonly timeoutMs: number; readonly maxSeconds: number }

const PREVIEW_FILE = 'preview.mp4'
const TRIMMED_FILE = 'trimmed.mp4'

/** Seconds that sound may outlast the picture: packets of AAC do not end where frames do. */
const LONGEST_TAIL = 0.1

/**
 * Makes the preview of an upload: MP4, H.264 baseline at level 3.1, yuv420p, 30 frames a second, even sides, index
 * first, upright, standard dynamic range.
 * @throws ServiceError `invalid-request`, `unsupported-media`, `payload-too-large`, `timeout`, `unavailable`
 */
export function preparePreview(
  dependencies: PrepareDependencies,
  source: Source,
  task: PrepareTask,
): Promise<Preview> {
  const { maxInputSeconds, prepareTimeoutSeconds } = dependencies.limits
  const timeoutMs = prepareTimeoutSeconds * 1000
  const maxSeconds = Math.min(task.maxSeconds ?? maxInputSeconds, maxInputSeconds)
  return withDeadline(dependencies.clock, timeoutMs, task.signal, tooSlow, (signal) => {
    const preparation = { ...dependencies, ...task, ...source, maxSeconds, timeoutMs, signal }
    return source.kind === 'webp' ? prepareWebp(preparation) : prepareByFfmpeg(preparation)
  })
}

async function prepareByFfmpeg(preparation: Preparation): Promise<Preview> {
  const { path, kind, maxSeconds } = preparation
  const probe = await probeFile(path, preparation)
  const frames =
    kind === 'animated-image' ? await animationFrames(path, probe, maxSeconds, preparation) : undefined
  await encodePreview(preparation, probe, frames)
  return finish(preparation, {
    kind,
    size: probe.shown,
    matrix: probe.matrix,
    hdrTransfer: probe.hdrTransfer,
    hasAlpha: probe.hasAlpha,
    isInterlaced: probe.isInterlaced,
    decoder: probe.decoder,
    isSeekable: probe.isSeekable,
    stream: probe.stream,
  })
}

/** @param frames the exact length of an animated image */
async function encodePreview(
  preparation: Preparation,
  probe: Probe,
  frames: number | undefined,
): Promise<void> {
  const { path, maxSeconds } = preparation
  const size = previewSize(probe.shown, preparation.previewSize)
  const expectedFrames = frames ?? Math.min(probe.durationSeconds ?? maxSeconds, maxSeconds) * FPS
  let outcome: FfmpegOutcome | undefined
  for (const { args, isWorthNextTry } of soundTries(probe.audio)) {
    const allArgs = previewArgs({ path, probe, size, maxSeconds, frames }, args)
    outcome = await encode(preparation, expectedFrames, allArgs)
    if (outcome.exitCode === 0 || !isWorthNextTry(outcome)) break
  }
  if (outcome) requireSuccess(outcome, explainRefusal)
}

async function prepareWebp(preparation: Preparation): Promise<Preview> {
  const animation = await preparation.webp.open(preparation.path)
  if (!animation) {
    throw new ServiceError(
      'unsupported-media',
      'WebP cannot be read by this installation. Send a GIF or a video.',
    )
  }
  const timeline = webpTimeline(animation.delaysMs, preparation.maxSeconds)
  const { width, height } = previewSize(animation, preparation.previewSize)
  const filters = `scale=${width}:${height}:flags=bicubic,${RGB_TO_PREVIEW}`
  const outcome = await encode(
    preparation,
    timeline.frames,
    [...rawRgbInput(animation), '-vf', filters, ...PREVIEW_VIDEO],
    stillFrames(animation.frames(preparation.signal), timeline.repeats),
  )
  requireSuccess(outcome, explainRefusal)
  return finish(preparation, {
    kind: 'webp',
    size: { width: animation.width, height: animation.height },
    matrix: 'bt601',
    hdrTransfer: undefined,
    hasAlpha: false,
    isInterlaced: false,
    decoder: undefined,
    isSeekable: true,
    stream: 0,
  })
}

function encode(
  { ffmpeg, folder, timeoutMs, signal, onProgress }: Preparation,
  expectedFrames: number,
  args: readonly string[],
  stdin?: AsyncIterable<Uint8Array>,
): Promise<FfmpegOutcome> {
  return ffmpeg.run({
    args: [...(onProgress ? PROGRESS : []), ...args, ...mp4Output(folder.path(PREVIEW_FILE))],
    timeoutMs,
    signal,
    ...(stdin && { stdin }),
    ...(onProgress && {
      onFrame: (frame: number) => onProgress(Math.min(1, frame / Math.max(1, expectedFrames))),
    }),
  })
}

async function finish(preparation: Preparation, original: OriginalTraits): Promise<Preview> {
  const { folder } = preparation
  const { frames, width, height, audioSeconds } = await readPreview(folder, PREVIEW_FILE)
  if (frames === 0) throw explainRefusal({ stderr: 'no frame was written', exitCode: 0 })
  const hasTail = audioSeconds > frames / FPS + LONGEST_TAIL
  if (hasTail) await trim(preparation, frames)
  return {
    path: folder.path(hasTail ? TRIMMED_FILE : PREVIEW_FILE),
    frames,
    width,
    height,
    hasAudio: audioSeconds > 0,
    original,
  }
}

/** Cuts the sound that goes on after the last picture, which would make a player's time run past ours. */
async function trim({ ffmpeg, folder, timeoutMs, signal }: Preparation, frames: number): Promise<void> {
  const args = [
    ...[...ownInput(folder.path(PREVIEW_FILE)), '-map', '0', '-c', 'copy'],
    ...['-t', secondsText(frames / FPS), ...mp4Output(folder.path(TRIMMED_FILE))],
  ]
  requireSuccess(await ffmpeg.run({ args, timeoutMs, signal }), explainRefusal)
}

function rawRgbInput({ width, height }: WebpAnimation): string[] {
  return [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-s',
    `${width}x${height}`,
    '-r',
    String(FPS),
    '-i',
    'pipe:0',
  ]
}
