import { equalBytes } from '@lantern-room/base'
import type { Pictures } from '@lantern-room/formats/parts'
import {
  encodeAvcSample,
  joinMovie,
  keepEverySecond,
  keyFramesUnlike,
  readAvcStream,
  sliceTrack,
} from '@lantern-room/formats/parts'
import { HEAD_VIDEO } from '#media/ffmpeg/encodeArgs'
import { OWN_PIPE } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { FPS } from '#media/frames'
import type { FrameStep, PictureCut } from './cutPictures'

/** Divides the usual rates, and keeps the error of the others below what any player can show. */
const CLIP_TIMESCALE = 90_000

/** A head of one frame is encoded as two key frames, of which one is used: see `keyFramesUnlike`. */
const TWICE = ',tpad=stop=1:stop_mode=clone'
const ALL_KEY_FRAMES = ['-force_key_frames', 'expr:1']

/**
 * Makes the pictures of a clip from those of a preview: copies them, except for the few before the first key frame.
 * @param step 2 shows the first frame, and then every second one as counted from the first key frame
 * @param samples the bytes of the preview's samples from `cut.group` on
 * @param seconds how long the clip is shown; the last picture is held as long as it takes
 * @returns undefined when the re-encoded pictures would need other parameters than the copied ones, or copied ones would need
 *   pictures that are left out
 * @throws ServiceError `internal`, `timeout`
 */
export async function copyPictures(
  run: FfmpegRun,
  cut: PictureCut,
  step: FrameStep,
  samples: readonly Uint8Array[],
  speed: number,
  seconds: number,
): Promise<Pictures | undefined> {
  const copied = keepPictures(cut.track, samples.slice(cut.key - cut.group), step)
  const headFrames = chooseHeadFrames(cut.key - cut.start, step)
  const head = copied && (await encodeHead(run, cut, headFrames, samples))
  if (!head) return undefined
  const pictures = [...head, ...copied]
  const frames = [...headFrames, ...copied.map((_, index) => cut.key - cut.start + index * step)]
  const starts = frames.map((frame) => Math.round((frame * CLIP_TIMESCALE) / (FPS * speed)))
  const endTicks = Math.round(seconds * CLIP_TIMESCALE)
  return {
    samples: pictures,
    times: starts.map((ticks) => ticks / CLIP_TIMESCALE),
    track: {
      kind: 'video',
      sampleEntry: cut.track.sampleEntry,
      timescale: CLIP_TIMESCALE,
      sizes: Uint32Array.from(pictures, ({ length }) => length),
      durations: Uint32Array.from(starts, (ticks, index) => (starts[index + 1] ?? endTicks) - ticks),
      compositionOffsets: undefined,
      sync: Uint8Array.from(frames, (frame) =>
        frame === 0 ? 1 : (cut.track.samples.sync[cut.start + frame] ?? 0),
      ),
      edits: [{ durationSeconds: seconds, mediaTime: 0 }],
      display: cut.track.display,
    },
  }
}

function keepPictures(
  { avc }: PictureCut['track'],
  samples: readonly Uint8Array[],
  step: FrameStep,
): readonly Uint8Array[] | undefined {
  if (step === 1 || samples.length === 0) return samples
  const [sps] = avc?.sps ?? []
  const [pps] = avc?.pps ?? []
  return sps && pps && keepEverySecond(samples, { sps, pps })
}

/**
 * Which of the frames before the first copied one are shown: the first, and from the copied one backwards each `step`th that is
 * not shown sooner after the first than others are after each other.
 * @param length how many there are
 */
function chooseHeadFrames(length: number, step: FrameStep): number[] {
  return Array.from({ length }, (_, frame) => frame).filter(
    (frame) => frame === 0 || (frame >= step && (length - frame) % step === 0),
  )
}

/**
 * Decodes the group in which the clip begins, and encodes frames of its end.
 * @param frames the wanted ones, counted from the clip's first
 */
async function encodeHead(
  run: FfmpegRun,
  { track, group, start, key }: PictureCut,
  frames: readonly number[],
  samples: readonly Uint8Array[],
): Promise<Uint8Array[] | undefined> {
  if (frames.length === 0) return []
  const isOne = frames.length === 1
  const isAll = frames.length === key - start
  const wanted = isAll ? '' : `select='${frames.map((frame) => `eq(n,${frame})`).join('+')}',`
  const args = [
    ...['-threads', '1', ...OWN_PIPE, '-map', '0:v:0'],
    ...['-vf', `trim=start_frame=${start - group},${wanted}setpts=N/${FPS}/TB${isOne ? TWICE : ''}`],
    ...[...HEAD_VIDEO, ...(isOne ? ALL_KEY_FRAMES : [])],
    ...['-f', 'h264', 'pipe:1'],
  ]
  const movie = { track: sliceTrack(track, group, key), samples: samples.slice(0, key - group) }
  const { stdout } = await runFfmpeg(run, args, joinMovie([movie]))
  const { sps, pps, pictures } = readAvcStream(stdout)
  if (!sps || !isOnly(track.avc?.sps, sps) || !isOnly(track.avc?.pps, pps)) return undefined
  const head = isOne ? keyFramesUnlike(sps, pictures, samples[key - group]).slice(0, 1) : pictures
  return head.length === frames.length ? head.map(encodeAvcSample) : undefined
}

function isOnly(units: readonly Uint8Array[] | undefined, unit: Uint8Array | undefined): boolean {
  const [only, another] = units ?? []
  return only !== undefined && unit !== undefined && !another && equalBytes(only, unit)
}
