import { mp4Output, PROGRESS } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS, secondsText } from '../frames'
import type { Ffmpeg, FfmpegOutcome, WorkFolder } from '../ports'
import type { OriginalTraits, Preview } from '../traits'
import { explainRefusal } from './explainRefusal'
import { readPreview } from './previewFile'
import { type FrameWindow, startsTooLate } from './window'

/** What writing a preview needs. */
export type PreviewTask = FrameWindow & {
  readonly ffmpeg: Ffmpeg
  readonly folder: WorkFolder
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** 0 to 1. */
  readonly onProgress?: (share: number) => void
}

const PREVIEW_FILE = 'preview.mp4'
const TRIMMED_FILE = 'trimmed.mp4'

/** Seconds that sound may outlast the picture: packets of AAC do not end where frames do. */
const LONGEST_TAIL = 0.1

/** Runs ffmpeg with the preview as its output. @param args up to the output's container */
export function runEncoder(
  { ffmpeg, folder, timeoutMs, signal, onProgress }: PreviewTask,
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

/**
 * The written preview, with its sound cut off where the picture ends.
 * @throws ServiceError when it has no frame
 */
export async function takePreview(
  preparation: PreviewTask,
  sourceSeconds: number | undefined,
  original: OriginalTraits,
): Promise<Preview> {
  const { folder, firstFrame } = preparation
  const { frames, width, height, audioSeconds } = await readPreview(folder, PREVIEW_FILE)
  if (frames === 0) {
    throw firstFrame > 0
      ? startsTooLate(undefined)
      : explainRefusal({ stderr: 'no frame was written', exitCode: 0 })
  }
  const hasTail = audioSeconds > frames / FPS + LONGEST_TAIL
  if (hasTail) await trim(preparation, frames)
  return {
    path: folder.path(hasTail ? TRIMMED_FILE : PREVIEW_FILE),
    frames,
    width,
    height,
    hasAudio: audioSeconds > 0,
    sourceSeconds,
    original,
  }
}

/** Cuts the sound that goes on after the last picture, which would make a player's time run past ours. */
async function trim({ ffmpeg, folder, timeoutMs, signal }: PreviewTask, frames: number): Promise<void> {
  const args = [
    ...[...ownInput(folder.path(PREVIEW_FILE)), '-map', '0', '-c', 'copy'],
    ...['-t', secondsText(frames / FPS), ...mp4Output(folder.path(TRIMMED_FILE))],
  ]
  requireSuccess(await ffmpeg.run({ args, timeoutMs, signal }), explainRefusal)
}
