import { ServiceError } from '#core/errors'
import { mp4Output, PREVIEW_VIDEO, PROGRESS } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { RGB_TO_PREVIEW } from '../ffmpeg/filters'
import { FPS, secondsText } from '../frames'
import type { Ffmpeg, FfmpegOutcome, WebpAnimation, WebpDecoder, WorkFolder } from '../ports'
import { withTimeLimit } from '../timeLimit'
import { previewArgs, soundTries } from './previewArgs'
import { readPreview } from './previewFile'
import { previewSize } from './previewSize'
import { explainRefusal } from './probe'
import { animationFrames, mustSucceed, probeFile } from './probeFile'
import type { OriginalTraits, SourceKind } from './source'
import { stillFrames, webpTimeline } from './timeline'

export type Preparing = (source: Source, task: PrepareTask) => Promise<Preview>

export type Source = { readonly path: string; readonly kind: SourceKind }

export type PrepareTask = {
  readonly folder: WorkFolder
  readonly signal: AbortSignal
  /** 0 to 1. */
  readonly onProgress?: (share: number) => void
  /** As much of the source is needed, so that the preview may end there. Without it, as much as is allowed. */
  readonly maxSeconds?: number
}

export type Preview = {
  /** The MP4, in the task's folder. */
  readonly path: string
  /** Frames at 30 a second. */
  readonly frames: number
  readonly width: number
  readonly height: number
  readonly hasAudio: boolean
  readonly original: OriginalTraits
}

export type PreparingDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly webp: WebpDecoder
  readonly previewSize: 'fit' | 'source'
  readonly maxInputSeconds: number
  readonly timeoutSeconds: number
}

const PREVIEW_FILE = 'preview.mp4'

/**
 * Makes the preview of an upload: MP4, H.264 baseline at level 3.1, yuv420p, 30 frames a second, even sides, index
 * first, upright, standard dynamic range.
 * @throws ServiceError `invalid-request`, `unsupported-media`, `payload-too-large`, `timeout`, `unavailable`
 */
export function createPreparing(dependencies: PreparingDependencies): Preparing {
  const { ffmpeg, maxInputSeconds } = dependencies
  const timeoutMs = dependencies.timeoutSeconds * 1000

  return (source, task) =>
    withTimeLimit(timeoutMs, task.signal, (signal) =>
      source.kind === 'webp'
        ? prepareWebp(source, { ...task, signal })
        : prepareByFfmpeg(source, { ...task, signal }),
    )

  /** Seconds after which the preview ends. */
  function limitOf({ maxSeconds = maxInputSeconds }: PrepareTask): number {
    return Math.min(maxSeconds, maxInputSeconds)
  }

  async function prepareByFfmpeg({ path, kind }: Source, task: PrepareTask): Promise<Preview> {
    const limit = limitOf(task)
    const probe = await probeFile(path, { ffmpeg, timeoutMs, signal: task.signal })
    const frames =
      kind === 'animated-image'
        ? await animationFrames(path, probe, limit, { ffmpeg, timeoutMs, signal: task.signal })
        : undefined
    const size = previewSize(probe.shown, dependencies.previewSize)
    const expected = frames ?? Math.min(probe.durationSeconds ?? limit, limit) * FPS
    const order = { path, probe, size, maxSeconds: limit, frames }
    let outcome: FfmpegOutcome | undefined
    for (const { args, isMended } of soundTries(probe.audio)) {
      outcome = await run(task, expected, previewArgs(order, args))
      if (outcome.exitCode === 0 || !isMended(outcome)) break
    }
    if (outcome) mustSucceed(outcome)
    const { shown, matrix, hdrTransfer, hasAlpha, isInterlaced, decoder, isSeekable, stream } = probe
    const picture = { matrix, hdrTransfer, hasAlpha, isInterlaced, decoder }
    return finish(task, { kind, size: shown, isSeekable, stream, ...picture })
  }

  async function prepareWebp({ path }: Source, task: PrepareTask): Promise<Preview> {
    const animation = await dependencies.webp.open(path)
    if (!animation) {
      throw new ServiceError(
        'unsupported-media',
        'WebP cannot be read by this installation. Send a GIF or a video.',
      )
    }
    const timeline = webpTimeline(animation.delaysMs, limitOf(task))
    const size = previewSize(animation, dependencies.previewSize)
    const outcome = await run(
      task,
      timeline.frames,
      [
        ...rawRgbInput(animation),
        ...['-vf', `scale=${size.width}:${size.height}:flags=bicubic,${RGB_TO_PREVIEW}`],
        ...PREVIEW_VIDEO,
      ],
      stillFrames(animation.frames(task.signal), timeline.repeats),
    )
    mustSucceed(outcome)
    return finish(task, {
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

  function run(
    { folder, signal, onProgress }: PrepareTask,
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

  async function finish(task: PrepareTask, original: OriginalTraits): Promise<Preview> {
    const made = await readPreview(task.folder, PREVIEW_FILE)
    if (made.frames === 0) throw explainRefusal('no frame was written', 0)
    const path =
      made.audioSeconds > made.frames / FPS + LONGEST_TAIL ? await cutTail(task, made.frames) : PREVIEW_FILE
    return {
      path: task.folder.path(path),
      frames: made.frames,
      width: made.width,
      height: made.height,
      hasAudio: made.audioSeconds > 0,
      original,
    }
  }

  /** Sound that goes on after the last picture would make a player's time run past ours. */
  async function cutTail({ folder, signal }: PrepareTask, frames: number): Promise<string> {
    const outcome = await ffmpeg.run({
      args: [
        ...[...ownInput(folder.path(PREVIEW_FILE)), '-map', '0', '-c', 'copy'],
        ...['-t', secondsText(frames / FPS), ...mp4Output(folder.path('trimmed.mp4'))],
      ],
      timeoutMs,
      signal,
    })
    mustSucceed(outcome)
    return 'trimmed.mp4'
  }
}

/** Seconds that sound may outlast the picture: packets of AAC do not end where frames do. */
const LONGEST_TAIL = 0.1

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
