import { aacAudio, CLIP_VIDEO, mp4Output, SOUND_RATE } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { CONSTANT_RATE, HOLD_LAST } from '../ffmpeg/filters'
import { FPS } from '../frames'
import type { ClipPlan } from './clip'

/**
 * Arguments that cut a clip out of a preview by encoding it anew, picture and sound. This is the seam where a cut
 * without re-encoding goes: the same plan in, the same kind of MP4 out.
 */
export function encodeClipArgs(preview: string, plan: ClipPlan, hasSound: boolean, output: string): string[] {
  const { startFrame, sourceFrames, clipFrames, speed } = plan
  // Faster than the preview, a frame of the clip shows the newest that has begun; slower, each stands near its time.
  const rate = speed > 1 ? `${CONSTANT_RATE}:round=up` : CONSTANT_RATE
  const times = `trim=end_frame=${sourceFrames},setpts=(PTS-STARTPTS)/${speed},${rate}`
  // Cut here and not by `-frames:v`, which ends the sound with the last picture, wherever that is by then.
  const video = `${times},${HOLD_LAST},trim=end_frame=${clipFrames}`
  // Silence goes on where the sound has ended, so that picture and sound are of one length. Counted in samples,
  // because silence that follows no sound at all has no times.
  const sound = [
    `aresample=${SOUND_RATE}:async=1:first_pts=0`,
    'apad',
    ...tempo(speed),
    `atrim=end_sample=${Math.round((clipFrames / FPS) * SOUND_RATE)}`,
    'asetpts=N/SR/TB',
  ]
  return [
    // A hair early, so that rounding to microseconds cannot drop the first frame.
    ...ownInput(preview, {
      seekSeconds: startFrame / FPS - HAIR_SECONDS,
      // Whoever changes the tempo of sound has to hear a little of what follows.
      maxSeconds: (sourceFrames + 0.5) / FPS + (hasSound && speed !== 1 ? 0.25 * speed : 0),
    }),
    ...['-map', '0:v:0', '-vf', video, ...CLIP_VIDEO],
    ...(hasSound ? ['-map', '0:a:0', '-af', sound.join(','), ...aacAudio(2)] : ['-an']),
    ...mp4Output(output),
  ]
}

/** @returns seconds: where to enter the preview so that `frame` is the first picture */
export function seekToFrame(frame: number): number {
  return frame / FPS - HAIR_SECONDS
}

const HAIR_SECONDS = 0.002

/**
 * `atempo` keeps the pitch; one of them takes 0.5 to 2 without losing samples, so that factors are chained. Each holds
 * back its last tenth of a second when its input ends.
 */
export function tempo(speed: number): string[] {
  if (speed === 1) return []
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed)) - 1e-9))
  const factor = speed ** (1 / steps)
  return Array.from({ length: steps }, () => `atempo=${factor.toFixed(9)}`)
}
