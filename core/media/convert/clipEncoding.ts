import { aacAudio, CLIP_VIDEO, mp4Output, SOUND_RATE } from '../ffmpeg/encodeArgs'
import { ownInput } from '../ffmpeg/ffmpegInput'
import { CONSTANT_RATE, HOLD_LAST } from '../ffmpeg/filters'
import { FPS } from '../frames'
import type { ClipPlan } from './clip'

/**
 * Arguments that cut a clip out of a preview by re-encoding picture and sound. A cut without re-encoding would replace
 * this function: the same plan in, the same kind of MP4 out.
 * @see docs/decisions.md, D38
 */
export function encodeClipArgs(preview: string, plan: ClipPlan, hasSound: boolean, output: string): string[] {
  const { startFrame, sourceFrames, clipFrames, speed } = plan
  // When played faster, a frame of the clip shows the latest source frame that has started; when slower, the nearest one.
  const rate = speed > 1 ? `${CONSTANT_RATE}:round=up` : CONSTANT_RATE
  const times = `trim=end_frame=${sourceFrames},setpts=(PTS-STARTPTS)/${speed},${rate}`
  // Cut here and not by `-frames:v`, which would end the sound as soon as the last picture is written.
  const video = `${times},${HOLD_LAST},trim=end_frame=${clipFrames}`
  // Silence is appended, so that picture and sound have the same length. The length is counted in samples, because
  // silence without any sound before it has no timestamps.
  const sound = [
    `aresample=${SOUND_RATE}:async=1:first_pts=0`,
    'apad',
    ...tempo(speed),
    `atrim=end_sample=${Math.round((clipFrames / FPS) * SOUND_RATE)}`,
    'asetpts=N/SR/TB',
  ]
  return [
    // Slightly early, so that rounding to microseconds cannot drop the first frame.
    ...ownInput(preview, {
      seekSeconds: startFrame / FPS - SEEK_MARGIN_SECONDS,
      // The tempo filter needs a little of the sound that follows.
      maxSeconds: (sourceFrames + 0.5) / FPS + (hasSound && speed !== 1 ? 0.25 * speed : 0),
    }),
    ...['-map', '0:v:0', '-vf', video, ...CLIP_VIDEO],
    ...(hasSound ? ['-map', '0:a:0', '-af', sound.join(','), ...aacAudio(2)] : ['-an']),
    ...mp4Output(output),
  ]
}

/** @returns seconds: where to seek in the preview so that `frame` is the first picture */
export function seekToFrame(frame: number): number {
  return frame / FPS - SEEK_MARGIN_SECONDS
}

const SEEK_MARGIN_SECONDS = 0.002

/**
 * `atempo` keeps the pitch. One filter can change the tempo by 0.5 to 2 without losing samples, so several are chained. Each
 * withholds its last tenth of a second when its input ends.
 */
export function tempo(speed: number): string[] {
  if (speed === 1) return []
  const steps = Math.max(1, Math.ceil(Math.abs(Math.log2(speed)) - 1e-9))
  const factor = speed ** (1 / steps)
  return Array.from({ length: steps }, () => `atempo=${factor.toFixed(9)}`)
}
