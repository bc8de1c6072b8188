import { ServiceError } from '@lantern-room/base'
import { untrustedInput } from '#media/ffmpeg/ffmpegInput'
import { ffmpegFailure } from '#media/ffmpeg/requireSuccess'
import { codecRefusal } from '#media/ffmpeg/undecoded'
import type { MediaParts } from '#media/parts'

const ANIMATIONS = ['gif', 'webp'] as const

export type Animation = (typeof ANIMATIONS)[number]

/** The parts that can be extracted from a motion photo. */
export const EXTRACTS = ['still', 'clip', ...ANIMATIONS] as const

/** Pictures a second, and the largest width in pixels. */
const RATE = 15
const MAX_WIDTH = 480

/** Bytes of an animation. */
const MAX_BYTES = 64 * 1024 * 1024

const SCALED = `fps=${RATE},scale=w='min(${MAX_WIDTH},iw)':h=-2:flags=lanczos`

const OUTPUT: Readonly<Record<Animation, readonly string[]>> = {
  gif: [
    ...['-vf', `${SCALED},split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer`],
    ...['-loop', '0', '-f', 'gif'],
  ],
  webp: ['-vf', SCALED, ...['-c:v', 'libwebp_anim', '-q:v', '70', '-loop', '0', '-f', 'webp']],
}

/**
 * Makes an endless animation of a clip: 15 pictures a second, at most 480 pixels wide, without sound.
 * @param path of the clip
 * @throws ServiceError `unsupported-media` for a codec that is not read, `unprocessable` when the clip cannot be decoded,
 *   `unavailable` when this ffmpeg has no such encoder, `timeout`
 * @example await animate(dependencies, path, 'gif', signal)
 */
export async function animate(
  { ffmpeg, limits }: Pick<MediaParts, 'ffmpeg' | 'limits'>,
  path: string,
  kind: Animation,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const outcome = await ffmpeg.run({
    args: [
      ...untrustedInput(path, { maxSeconds: limits.maxClipSeconds }),
      ...['-map', '0:V:0', '-an', '-map_metadata', '-1', '-t', String(limits.maxClipSeconds)],
      ...OUTPUT[kind],
      'pipe:1',
    ],
    timeoutMs: limits.convertTimeoutSeconds * 1000,
    maxOutputBytes: MAX_BYTES,
    signal,
  })
  if (outcome.exitCode === 0 && outcome.stdout.length > 0) return outcome.stdout
  throw ffmpegFailure(outcome, ({ stderr }) =>
    /Unknown encoder/.test(stderr)
      ? new ServiceError('unavailable', `This service cannot write ${kind}. Ask for another kind.`)
      : (codecRefusal(outcome) ??
        new ServiceError(
          'unprocessable',
          'The video in the photo cannot be decoded. Ask for what=clip to get it as it is.',
        )),
  )
}
