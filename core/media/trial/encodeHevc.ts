import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import { mp4Output } from '../ffmpeg/encodeArgs'
import { OWN_PIPE } from '../ffmpeg/ffmpegInput'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import type { Ffmpeg, WorkFolder } from '../ports'
import { tracksOfClip, withoutSound, withPicturesOf } from './clipVariants'

export type HevcDependencies = {
  readonly ffmpeg: Ffmpeg
  readonly limits: { readonly convertTimeoutSeconds: number }
}

const FILE = 'hevc.mp4'

/** As phones write it: `hvc1`, and no picture that is shown in another order than it is decoded. */
const VIDEO = [
  ...['-c:v', 'libx265', '-preset', 'fast', '-crf', '20', '-tag:v', 'hvc1', '-pix_fmt', 'yuv420p'],
  ...['-x265-params', 'bframes=0:log-level=error'],
] as const

/**
 * Encodes the pictures of a clip as HEVC; its sound and the times of its pictures stay.
 * @returns undefined when this ffmpeg has no encoder for it
 * @throws ServiceError `internal`, `timeout`, `unavailable`
 */
export async function encodeHevc(
  { ffmpeg, limits }: HevcDependencies,
  clip: Uint8Array,
  { folder, signal }: { readonly folder: WorkFolder; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const { timescale } = tracksOfClip(clip).video
  const outcome = await ffmpeg.run({
    args: [
      ...[...OWN_PIPE, '-map', '0:v:0', '-an', '-fps_mode', 'passthrough', ...VIDEO],
      ...['-video_track_timescale', String(timescale), ...mp4Output(folder.path(FILE))],
    ],
    stdin: withoutSound(clip),
    timeoutMs: limits.convertTimeoutSeconds * 1000,
    signal,
  })
  if (/Unknown encoder/.test(outcome.stderr)) return undefined
  requireSuccess(outcome, conversionError)
  return withPicturesOf(normalizeClip(await folder.read(FILE)), clip)
}
