import { ServiceError } from '@lantern-room/base'
import { joinTiles } from '@lantern-room/formats/pictures'
import { readIndex } from '@lantern-room/mp4'
import { rangedSource } from '@lantern-room/mp4/source'
import type { MediaConfig } from '../config'
import { mp4Output, PROGRESS } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { type FfmpegRun, ffmpegFailure, runFfmpeg } from '../ffmpeg/requireSuccess'
import { FPS, secondsText } from '../frames'
import type { FfmpegOutcome, WorkFolder } from '../ports'
import type { OriginalTraits, Preview, Recording } from '../traits'
import { explainRefusal } from './explainRefusal'
import { MAX_TILES, type StripPlan, tileOutput } from './frames/stripPlan'
import { type FrameWindow, startsTooLate, type Window } from './window'

export type PrepareTask = {
  readonly folder: WorkFolder
  readonly signal: AbortSignal
  /** Called with how much is done, 0 to 1. @default nothing is called */
  readonly onProgress?: ((share: number) => void) | undefined
  /** Whether a filmstrip is made, too. @default true */
  readonly makesStrip?: boolean
  /**
   * Whether the pictures will be copied from the original, whose index is known: then the preview has as many black ones, and its
   * sound. @default false
   */
  readonly isSoundOnly?: boolean
  /** The part that is wanted. */
  readonly window: Window
}

/** The inputs for writing a preview, and its intended properties. */
export type PreviewTask = PrepareTask & FrameWindow & FfmpegRun & Pick<MediaConfig, 'previewSize'>

/** The output that ffmpeg writes, apart from its container. */
export type PreviewEncoding = {
  /** Up to the output's container. */
  readonly args: readonly string[]
  /** As far as they are known before. */
  readonly expectedFrames: number
  readonly strip: StripPlan | undefined
  /** Frames of the preview: exact where the filters do not end on their own, otherwise an upper limit. */
  readonly frames: number
  readonly stdin?: AsyncIterable<Uint8Array>
  /** Of the preview. @default no limit */
  readonly maxFileBytes?: number | undefined
}

const PREVIEW_FILE = 'preview.mp4'
const TILES_FILE = 'tiles.mjpeg'
const TRIMMED_FILE = 'trimmed.mp4'
const STRIP_FILE = 'strip.jpg'

/** Seconds that sound may outlast the picture: packets of AAC do not end where frames do. */
const LONGEST_TAIL = 0.1

/** Runs ffmpeg with the preview as its output, and the tiles of its filmstrip where one is planned. */
export function runEncoder(
  { ffmpeg, folder, timeoutMs, signal, onProgress }: PreviewTask,
  { args, expectedFrames, strip, frames, stdin, maxFileBytes }: PreviewEncoding,
): Promise<FfmpegOutcome> {
  const tiles = strip ? tileOutput(folder.path(TILES_FILE), strip, frames) : []
  return ffmpeg.run({
    args: [...(onProgress ? PROGRESS : []), ...args, ...mp4Output(folder.path(PREVIEW_FILE)), ...tiles],
    timeoutMs,
    signal,
    maxFileBytes,
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
  task: PreviewTask,
  strip: StripPlan | undefined,
  length: SourceLength,
  original: OriginalTraits,
  capture: Recording,
): Promise<Preview> {
  const { folder, firstFrame } = task
  const { frames, width, height, audioSeconds } = await readPreview(folder, PREVIEW_FILE)
  if (frames === 0) {
    throw firstFrame > 0
      ? startsTooLate(undefined)
      : ffmpegFailure({ stderr: 'no frame was written', exitCode: 0 }, explainRefusal)
  }
  const hasTail = audioSeconds > frames / FPS + LONGEST_TAIL
  if (hasTail) await trim(task, frames)
  return {
    path: folder.path(hasTail ? TRIMMED_FILE : PREVIEW_FILE),
    frames,
    width,
    height,
    hasAudio: audioSeconds > 0,
    strip: strip && (await takeStrip(folder, strip, frames)),
    sourceSeconds: checkedSeconds(length, task, frames),
    original,
    capture,
  }
}

/** How long an upload is before it has been read. */
export type SourceLength = {
  /** Undefined: not known. */
  readonly seconds: number | undefined
  /** Whether that is from its index or its packets, and not only from a header. */
  readonly isCertain: boolean
}

/** A header counts the sound, too. */
const LENGTH_TOLERANCE = 0.1

/** The length of an upload, if it agrees with the pictures that were found. */
function checkedSeconds(
  { seconds, isCertain }: SourceLength,
  { firstFrame, maxFrames }: FrameWindow,
  frames: number,
): number | undefined {
  const end = Math.round(((firstFrame + frames) / FPS) * 1e6) / 1e6
  const excess = (seconds ?? 0) - end
  if (frames < maxFrames && Math.abs(excess) > LENGTH_TOLERANCE) return end
  return isCertain || excess >= -LENGTH_TOLERANCE ? seconds : undefined
}

/** The tiles that were written, as one picture; undefined when they do not fit together. */
async function takeStrip(
  folder: WorkFolder,
  { interval }: StripPlan,
  frames: number,
): Promise<Preview['strip']> {
  const joined = joinTiles(await folder.read(TILES_FILE), { frames, interval, maxTiles: MAX_TILES })
  return joined && { path: await folder.write(STRIP_FILE, joined.jpeg), layout: joined.strip }
}

/** Cuts the sound that goes on after the last picture, which would make a player's time run past ours. */
async function trim(task: PreviewTask, frames: number): Promise<void> {
  const { folder } = task
  const args = [
    ...[...ownInput(folder.path(PREVIEW_FILE)), '-map', '0', '-c', 'copy'],
    ...['-t', secondsText(frames / FPS), ...mp4Output(folder.path(TRIMMED_FILE))],
  ]
  await runFfmpeg(task, args, undefined, explainRefusal)
}

/**
 * Reads the properties of an MP4 made by this service from its index alone.
 * @throws ServiceError `internal` when the index is not as expected
 */
async function readPreview(folder: WorkFolder, name: string) {
  const size = (await folder.size(name)) ?? 0
  const source = rangedSource(size, (start, end) => folder.read(name, { start, end: end - 1 }))
  const { movie, problem } = await readIndex(source)
  if (!movie) {
    throw new ServiceError('internal', 'The preview could not be read back. Try again.', { cause: problem })
  }
  // Without a single picture some versions of ffmpeg write no track for pictures.
  const video = movie.tracks.find(({ kind }) => kind === 'video')
  const audio = movie.tracks.find(({ kind }) => kind === 'audio')
  return {
    frames: video?.samples.count ?? 0,
    width: video?.width ?? 0,
    height: video?.height ?? 0,
    /** 0 without sound. */
    audioSeconds: audio?.durationSeconds ?? 0,
  }
}
