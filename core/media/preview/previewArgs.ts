import type { Size } from '@lantern-room/formats'
import { aacAudio, mostPreviewBytes, PREVIEW_VIDEO } from '../ffmpeg/encodeArgs'
import { type InputOptions, untrustedInput } from '../ffmpeg/ffmpegInput'
import { CONSTANT_RATE_OF_IMAGE, onWhite, RGB_TO_PREVIEW, toPreviewPicture } from '../ffmpeg/filters'
import { join } from '../ffmpeg/hdr'
import { undecodedStream } from '../ffmpeg/undecoded'
import { constantRateOf, fromKeyFrame } from '../ffmpeg/unindexed'
import { FPS, secondsText } from '../frames'
import type { FfmpegOutcome } from '../ports'
import { previewAndTiles, type StripPlan } from './frames/stripPlan'
import type { Probe, ProbedAudio } from './probe'
import type { FrameWindow } from './window'

/** H.264 level 3.1: 3,600 macroblocks a picture (at 30 a second), and no side longer than √(8 × 3,600) of them. */
const MAX_MACROBLOCKS = 3600
const MAX_SIDE = 2704

/**
 * The preview's size in pixels for a picture that is shown at `width` × `height` (square pixels, upright).
 * Odd sides are rounded up to even ones. With `fit`, what does not fit level 3.1 shrinks with its aspect;
 * with `source`, the size stays.
 * @see ITU-T H.264, table A-1
 */
export function previewSize({ width, height }: Size, mode: 'fit' | 'source'): Size {
  const even = { width: evenUp(width), height: evenUp(height) }
  return mode === 'source' || fitsLevel31(even) ? even : largestFitting(width, height)
}

export function fitsLevel31({ width, height }: Size): boolean {
  return (
    Math.ceil(width / 16) * Math.ceil(height / 16) <= MAX_MACROBLOCKS &&
    width <= MAX_SIDE &&
    height <= MAX_SIDE
  )
}

/** Tries the even lengths of the longer side from the largest down: there are at most 1,352. */
function largestFitting(width: number, height: number): Size {
  const isWide = width >= height
  const ratio = isWide ? height / width : width / height
  for (let long = Math.min(MAX_SIDE, evenUp(Math.max(width, height))); long > 2; long -= 2) {
    const short = Math.max(2, 2 * Math.round((long * ratio) / 2))
    const size = isWide ? { width: long, height: short } : { width: short, height: long }
    if (fitsLevel31(size)) return size
  }
  return { width: 2, height: 2 }
}

function evenUp(length: number): number {
  return Math.max(2, 2 * Math.ceil(length / 2))
}

export type PreviewSettings = {
  readonly path: string
  readonly probe: Probe
  readonly size: Size
  /** The preview's first frame, counted from the beginning of the upload at 30 a second. */
  readonly firstFrame: number
  /** The rest is cut off. */
  readonly maxSeconds: number
  /** The exact length of an animated image. */
  readonly frames: number | undefined
  /** How many black pictures to write instead of those of the upload. @default none */
  readonly blackFrames?: number | undefined
  readonly strip: StripPlan | undefined
  /** Threads of the decoder; the encoder, which has less to do, gets half as many. */
  readonly threads: number
}

/** Arguments that transcode an upload, up to the output's container. */
export function previewArgs(settings: PreviewSettings, sound: readonly string[]): string[] {
  const { path, probe, size, maxSeconds, frames, blackFrames, strip, threads } = settings
  const rate = constantRate(settings)
  const stream = `[0:V:${probe.stream}]`
  const end = previewAndTiles(strip)
  const shown = probe.hasAlpha
    ? `${onWhite(stream, rate, size, probe, RGB_TO_PREVIEW)}${end}`
    : `${stream}${rate},${toPreviewPicture(probe, size, probe.shown)}${end}`
  const graph =
    blackFrames === undefined
      ? shown
      : `color=s=16x16:r=${FPS},trim=end_frame=${blackFrames},format=yuv420p[v]`
  const length = frames === undefined ? ['-t', secondsText(maxSeconds)] : ['-frames:v', String(frames)]
  return [
    ...untrustedInput(path, { ...reach(settings), decoder: probe.decoder, threads }),
    ...['-filter_complex', graph, '-map', '[v]', ...sound, ...length, ...PREVIEW_VIDEO, ...ONCE_ONLY],
    ...['-threads:v', String(Math.ceil(threads / 2))],
  ]
}

/**
 * When the size of pictures changes, ffmpeg begins the graph anew, and so the constant rate, from frame 0. What has been written
 * already is dropped. By default a frame that is one too late would stay, and everything after it would be late, too.
 */
const ONCE_ONLY = ['-frame_drop_threshold', '0.5']

/**
 * A constant rate from the beginning of the upload on, and of it the frames of the window. Behind them the rate is told once more,
 * since ffmpeg 7.0 forgets it at `trim`, and then leaves out the second frame.
 */
function constantRate({ probe, firstFrame, maxSeconds, frames }: PreviewSettings): string {
  const end = firstFrame + (frames ?? Math.round(maxSeconds * FPS))
  const rate =
    frames === undefined ? join(fromKeyFrame(probe), constantRateOf(probe)) : CONSTANT_RATE_OF_IMAGE
  const timed = `${notLaterThan(secondsText(end / FPS + 1))},${rate}`
  if (firstFrame === 0) return timed
  return `${timed},trim=start_frame=${firstFrame}:end_frame=${end},setpts=PTS-STARTPTS,fps=${FPS}`
}

/** Up to a picture that is hours late, ffmpeg 5.1 would repeat the one before it, although no output takes them. */
function notLaterThan(seconds: string): string {
  return `setpts='if(gt(PTS*TB,${seconds}),${seconds}/TB,PTS)'`
}

/** What of the upload is read. After a seek it is the filters that end the reading: a limit would count from the key frame. */
function reach({ probe: { seekSeconds }, firstFrame, maxSeconds }: PreviewSettings): InputOptions {
  return seekSeconds > 0 ? { seekSeconds, fromKeyFrame: true } : { maxSeconds: firstFrame / FPS + maxSeconds }
}

/**
 * The ways to include the sound, best first, each with the failures after which the next is worth trying. The sound of a window is always encoded: packets do not begin where a
 * picture does.
 */
export function soundTries(audio: ProbedAudio | undefined, { firstFrame, maxFrames }: FrameWindow) {
  const none = { args: [], isWorthNextTry: () => false, maxFileBytes: undefined }
  if (!audio) return [none]
  const first = ['-map', `0:a:${audio.stream}`]
  const [begin, end] = [firstFrame, firstFrame + maxFrames].map((frame) => secondsText(frame / FPS))
  const part = firstFrame === 0 ? '' : `atrim=start=${begin}:end=${end},asetpts=PTS-${begin}/TB,`
  const anew = [...first, ...aacAudio(audio.channels), '-af', `${part}aresample=async=1:first_pts=0`]
  // Where this ffmpeg lacks the decoder for the sound, although others have it, the pictures remain.
  const lacksDecoder = ({ stderr }: FfmpegOutcome) => undecodedStream(stderr)?.kind === 'Audio'
  const encode = { args: anew, isWorthNextTry: lacksDecoder, maxFileBytes: undefined }
  // Damaged sound that cannot be copied into an MP4 can often still be decoded.
  const maxFileBytes = mostPreviewBytes(maxFrames / FPS)
  const copy = { args: [...first, '-c:a', 'copy'], isWorthNextTry: () => true, maxFileBytes }
  return audio.isPlainAac && audio.channels <= 2 && firstFrame === 0 ? [copy, encode, none] : [encode, none]
}
