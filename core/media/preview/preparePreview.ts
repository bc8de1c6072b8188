import { tooSlow } from '@lantern-room/base'
import { withDeadline } from '@lantern-room/base/async'
import type { Movie } from '@lantern-room/mp4'
import { isHeardAsStored, videoTrack } from '@lantern-room/mp4'
import { isEmptyOutput, requireSuccess } from '../ffmpeg/requireSuccess'
import { undecodedStream } from '../ffmpeg/undecoded'
import { FPS } from '../frames'
import type { MediaParts } from '../parts'
import type { FfmpegOutcome } from '../ports'
import type { OriginalTraits, Preview } from '../traits'
import { explainRefusal } from './explainRefusal'
import { planStrip, type StripPlan } from './frames/stripPlan'
import { prepareWebp } from './prepareWebp'
import { type PreviewSettings, previewArgs, previewSize, soundTries } from './previewArgs'
import {
  type PrepareTask,
  type PreviewTask,
  runEncoder,
  type SourceLength,
  takePreview,
} from './previewOutput'
import type { Probe } from './probe'
import { animationFrames, probeFile } from './probeFile'
import type { Video } from './videoOf'
import { requireInside, startsTooLate, windowFrames } from './window'

export type PrepareDependencies = Pick<
  MediaParts,
  'ffmpeg' | 'webp' | 'clock' | 'previewSize' | 'processors' | 'limits'
>

/**
 * Makes the preview of an upload: MP4, H.264 baseline at level 3.1, yuv420p, 30 frames a second, even sides, index
 * first, upright, standard dynamic range. Of a part, its frames are those that a preview of the whole upload has there.
 * @throws ServiceError `invalid-request`, `unsupported-media`, `payload-too-large`, `timeout`, `unavailable`;
 *   `out-of-range` when the window does not lie inside the upload
 * @example await preparePreview(dependencies, video, { folder, signal, window: { start: 0, end: undefined } })
 */
export function preparePreview(
  dependencies: PrepareDependencies,
  source: Pick<Video, 'path' | 'kind' | 'movie' | 'size'>,
  task: PrepareTask,
): Promise<Preview> {
  const { ffmpeg, webp, clock, limits, previewSize, processors } = dependencies
  const timeoutMs = limits.prepareTimeoutSeconds * 1000
  const frames = windowFrames(task.window, limits.maxInputSeconds)
  const onProgress = task.onProgress && neverFalling(task.onProgress)
  return withDeadline(clock, timeoutMs, task.signal, tooSlow, (signal) => {
    const output: PreviewTask = {
      folder: task.folder,
      window: task.window,
      firstFrame: frames.firstFrame,
      maxFrames: frames.maxFrames,
      makesStrip: task.makesStrip ?? true,
      isSoundOnly: task.isSoundOnly ?? false,
      ffmpeg,
      timeoutMs,
      signal,
      previewSize,
      onProgress,
    }
    return source.kind === 'webp'
      ? prepareWebp(webp, source.path, output)
      : prepareByFfmpeg(source, { processors, maxInputSeconds: limits.maxInputSeconds }, output)
  })
}

/** A second attempt starts at 0 again; the progress that was shown must not go back. */
function neverFalling(onProgress: (share: number) => void): (share: number) => void {
  let highest = 0
  return (share) => {
    highest = Math.max(highest, share)
    onProgress(highest)
  }
}

async function prepareByFfmpeg(
  { path, kind, movie, size }: Pick<Video, 'path' | 'kind' | 'movie' | 'size'>,
  { processors, maxInputSeconds }: { readonly processors: number; readonly maxInputSeconds: number },
  output: PreviewTask,
): Promise<Preview> {
  const { firstFrame, ffmpeg, timeoutMs, signal } = output
  const isAnimation = kind === 'animated-image'
  const found = await (isAnimation
    ? probeFile(path, 0, output)
    : probeFile(path, firstFrame, { ffmpeg, timeoutMs, signal, movie }))
  const probe = withIndex(found, movie, size)
  const image = isAnimation ? await measureAnimation(path, probe, maxInputSeconds, output) : undefined
  const length = image ? { seconds: image.sourceSeconds, isCertain: true } : lengthOf(probe, movie)
  if (length.isCertain) requireInside(output.window, length.seconds)
  const upload = { path, probe, frames: image?.frames, sourceSeconds: length.seconds }
  const { strip, isUndecoded } = await encodePreview(upload, processors, output)
  const original: OriginalTraits = {
    kind,
    firstFrame,
    size: probe.shown,
    matrix: probe.matrix,
    primaries: probe.primaries,
    hdrTransfer: probe.hdrTransfer,
    hasAlpha: probe.hasAlpha,
    isInterlaced: probe.isInterlaced,
    decoder: probe.decoder,
    isSeekable: probe.isSeekable,
    startsAtZero: probe.startsAtZero,
    unindexed: probe.unindexed,
    stream: probe.stream,
    streamId: probe.streamId,
  }
  const preview = await takePreview(output, strip, length, original, probe.capture)
  if (!length.isCertain) requireInside(output.window, preview.sourceSeconds)
  const isUnknown =
    !probe.audio && movie?.tracks.some(({ kind: of, samples }) => of === 'audio' && samples.count > 0)
  return { ...preview, isSoundLost: !preview.hasAudio && (isUndecoded || isUnknown === true) }
}

/** Sound is copied only if its packets are what is heard. */
function withIndex(probe: Probe, movie: Movie | undefined, size = Number.POSITIVE_INFINITY): Probe {
  const { audio } = probe
  const track = movie?.tracks.find(({ kind, id }) => kind === 'audio' && id === audio?.id)
  if (!audio || !track) return probe
  const isPlainAac = audio.isPlainAac && isHeardAsStored(track, size)
  return { ...probe, audio: { ...audio, isPlainAac } }
}

/** The header of a file may say anything of its length; the index of an MP4 has to be right for it to be played. */
function lengthOf({ stream, streamId, durationSeconds }: Probe, movie: Movie | undefined): SourceLength {
  const track = movie && videoTrack(movie, stream, streamId)
  if (track) return { seconds: track.durationSeconds, isCertain: true }
  return { seconds: durationSeconds, isCertain: false }
}

/**
 * @returns the exact length of the window of an animated image, and that of all of it, unless it is longer than what may
 *   be read
 */
async function measureAnimation(
  path: string,
  probe: Probe,
  maxInputSeconds: number,
  output: PreviewTask,
): Promise<{ readonly frames: number; readonly sourceSeconds: number | undefined }> {
  const { firstFrame, maxFrames } = output
  const readFrames = firstFrame + Math.round(maxInputSeconds * FPS)
  const all = await animationFrames(path, probe, readFrames / FPS, output)
  const sourceSeconds = all < readFrames ? all / FPS : undefined
  if (all <= firstFrame) throw startsTooLate(sourceSeconds)
  return { frames: Math.min(maxFrames, all - firstFrame), sourceSeconds }
}

/**
 * @param upload.frames the exact length of an animated image
 * @returns the plan of the filmstrip that was made, too; whether this ffmpeg has no decoder for the sound
 */
async function encodePreview(
  upload: Pick<PreviewSettings, 'path' | 'probe' | 'frames'> & { readonly sourceSeconds: number | undefined },
  threads: number,
  output: PreviewTask,
): Promise<{ readonly strip: StripPlan | undefined; readonly isUndecoded: boolean }> {
  const { sourceSeconds, ...of } = upload
  const { probe, frames } = of
  const { firstFrame, maxFrames, makesStrip = true, isSoundOnly } = output
  const size = previewSize(probe.shown, output.previewSize)
  const expected = frames ?? framesToCome(sourceSeconds, output)
  const strip = makesStrip ? planStrip(size, expected, maxFrames) : undefined
  const blackFrames = isSoundOnly ? Math.max(1, Math.round(expected ?? maxFrames)) : undefined
  const encoding = { ...of, blackFrames, size, firstFrame, maxSeconds: maxFrames / FPS, strip, threads }
  let outcome: FfmpegOutcome | undefined
  let isUndecoded = false
  for (const { args, isWorthNextTry, maxFileBytes } of soundTries(probe.audio, output)) {
    outcome = await runEncoder(output, {
      args: previewArgs(encoding, args),
      expectedFrames: expected ?? maxFrames,
      strip,
      frames: frames ?? maxFrames,
      maxFileBytes,
    })
    if (outcome.exitCode === 0 || !isWorthNextTry(outcome)) break
    isUndecoded = undecodedStream(outcome.stderr)?.kind === 'Audio'
  }
  if (!outcome) return { strip, isUndecoded }
  // The container may be longer than its picture, for example by its sound.
  if (firstFrame > 0 && isEmptyOutput(outcome))
    throw startsTooLate(expected === undefined ? sourceSeconds : undefined)
  requireSuccess(outcome, explainRefusal)
  return { strip, isUndecoded }
}

/** @returns undefined when the upload does not say how long it is, or is longer than it says */
function framesToCome(
  sourceSeconds: number | undefined,
  { firstFrame, maxFrames }: PreviewTask,
): number | undefined {
  const left = (sourceSeconds ?? 0) * FPS - firstFrame
  return left > 0 ? Math.min(left, maxFrames) : undefined
}
