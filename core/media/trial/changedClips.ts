import { normalizeClip } from '#core/formats/mp4/normalizeClip'
import { mp4Output } from '../ffmpeg/encodeArgs'
import { OWN_PIPE, SILENCE } from '../ffmpeg/ffmpegInput'
import { conversionError, requireSuccess } from '../ffmpeg/requireSuccess'
import type { Ffmpeg, WorkFolder } from '../ports'
import type { ChangedClip } from './variants'

export type ClipChange = Exclude<ChangedClip, 'longer'>

const FILE = 'changed.mp4'

const ARGS: Readonly<Record<ClipChange, readonly string[]>> = {
  // As phones write it: `hvc1`, and no picture that is shown in another order than it is decoded.
  hevc: [
    ...['-map', '0', '-c:a', 'copy', '-c:v', 'libx265', '-preset', 'fast', '-crf', '20', '-tag:v', 'hvc1'],
    ...['-pix_fmt', 'yuv420p', '-fps_mode', 'passthrough', '-x265-params', 'bframes=0:log-level=error'],
  ],
  'no-sound': ['-map', '0:v:0', '-c', 'copy'],
  silence: [
    ...[...SILENCE, '-map', '0:v:0', '-map', '1:a:0'],
    ...['-c:v', 'copy', '-c:a', 'aac', '-shortest'],
  ],
}

/**
 * Makes a clip that differs in one thing; the times of its pictures stay, and so do the pictures unless they become HEVC.
 * @returns undefined when this ffmpeg has no encoder for it
 * @throws ServiceError `internal`, `timeout`, `unavailable`
 */
export async function changeClip(
  { ffmpeg, limits }: { ffmpeg: Ffmpeg; limits: { readonly convertTimeoutSeconds: number } },
  clip: Uint8Array,
  change: ClipChange,
  { folder, signal }: { readonly folder: WorkFolder; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const outcome = await ffmpeg.run({
    args: [...OWN_PIPE, ...ARGS[change], ...mp4Output(folder.path(FILE))],
    stdin: clip,
    timeoutMs: limits.convertTimeoutSeconds * 1000,
    signal,
  })
  if (/Unknown encoder/.test(outcome.stderr)) return undefined
  requireSuccess(outcome, conversionError)
  return normalizeClip(await folder.read(FILE))
}
