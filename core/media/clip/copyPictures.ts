import { equalBytes } from '#core/bytes'
import { HEAD_VIDEO } from '../ffmpeg/encodeArgs'
import { OWN_PIPE } from '../ffmpeg/ffmpegInput'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import { FPS } from '../frames'
import { encodeAvcSample, readAvcStream } from '../mp4/annexB'
import { sliceTrack } from '../mp4/sliceTrack'
import { type FilledTrack, joinMovie } from '../mp4/writeMovie'
import type { FfmpegRun } from './clipTask'
import type { PictureCut } from './cutPictures'

/** The pictures of a clip, and when each is shown: seconds from the clip's start. */
export type Pictures = FilledTrack & { readonly times: readonly number[] }

/** Divides the usual rates, and keeps the error of the others below what any player can show. */
const CLIP_TIMESCALE = 90_000

/**
 * Makes the pictures of a clip from those of a preview: copies them, except for the few before the first key frame.
 * @param samples the bytes of the preview's samples from `cut.group` on
 * @param seconds how long the clip is shown; the last picture is held as long as it takes
 * @returns undefined when the re-encoded pictures would need other parameters than the copied ones
 * @throws ServiceError `internal`, `timeout`
 */
export async function copyPictures(
  run: FfmpegRun,
  cut: PictureCut,
  samples: readonly Uint8Array[],
  speed: number,
  seconds: number,
): Promise<Pictures | undefined> {
  const head = await encodeHead(run, cut, samples)
  if (!head) return undefined
  const pictures = [...head, ...samples.slice(cut.key - cut.group)]
  const starts = pictures.map((_, index) => Math.round((index * CLIP_TIMESCALE) / (FPS * speed)))
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
      sync: Uint8Array.from(pictures, (_, index) =>
        index === 0 ? 1 : (cut.track.samples.sync[cut.start + index] ?? 0),
      ),
      edits: [{ durationSeconds: seconds, mediaTime: 0 }],
      display: cut.track.display,
    },
  }
}

/** Decodes the group in which the clip begins, and encodes its last frames, up to the first that is copied. */
async function encodeHead(
  { ffmpeg, timeoutMs, signal }: FfmpegRun,
  { track, group, start, key }: PictureCut,
  samples: readonly Uint8Array[],
): Promise<Uint8Array[] | undefined> {
  if (start === key) return []
  const outcome = await ffmpeg.run({
    args: [
      ...['-threads', '1', ...OWN_PIPE, '-map', '0:v:0'],
      ...['-vf', `trim=start_frame=${start - group},setpts=PTS-STARTPTS`, ...HEAD_VIDEO],
      ...['-f', 'h264', 'pipe:1'],
    ],
    stdin: joinMovie([{ track: sliceTrack(track, group, key), samples: samples.slice(0, key - group) }]),
    timeoutMs,
    signal,
  })
  requireSuccess(outcome, conversionError)
  const { sps, pps, pictures } = readAvcStream(outcome.stdout)
  const isAlike =
    isOnly(track.avc?.sps, sps) && isOnly(track.avc?.pps, pps) && pictures.length === key - start
  return isAlike ? pictures.map(encodeAvcSample) : undefined
}

function isOnly(units: readonly Uint8Array[] | undefined, unit: Uint8Array | undefined): boolean {
  const [only, another] = units ?? []
  return only !== undefined && unit !== undefined && !another && equalBytes(only, unit)
}
