import { CLIP_VIDEO, clipAudio, mp4Output } from '#media/ffmpeg/encodeArgs'
import { CONSTANT_RATE, HOLD_LAST } from '#media/ffmpeg/filters'
import { tempoFilters } from '#media/ffmpeg/tempo'
import { FPS } from '#media/frames'

/**
 * Arguments that make a clip by re-encoding picture and sound, for speeds and files that cannot be copied.
 * @param input an MP4 of the preview's samples that are needed, read as often as the range is played
 * @param leadFrames frames before the first one that is shown
 * @param filters that change the pictures
 */
export function encodeClipArgs(
  input: readonly string[],
  plan: ClipFrames,
  leadFrames: number,
  hasSound: boolean,
  output: string,
  filters: readonly string[],
): string[] {
  const { sourceFrames, clipFrames, speed, repeat = 1 } = plan
  // When played faster, a frame of the clip shows the latest source frame that has started; when slower, the nearest one.
  const rate = speed > 1 ? `${CONSTANT_RATE}:round=up` : CONSTANT_RATE
  const end = leadFrames + sourceFrames
  const range =
    repeat > 1
      ? `select='gte(mod(n,${end}),${leadFrames})',setpts=N/${FPS}/TB`
      : `trim=start_frame=${leadFrames}:end_frame=${end},setpts=PTS-STARTPTS`
  const shown = [range, ...filters].join(',')
  // Cut here and not by `-frames:v`, which would end the sound as soon as the last picture is written.
  const video = `${shown},setpts=PTS/${speed},${rate},${HOLD_LAST},trim=end_frame=${clipFrames}`
  return [
    ...[...input, '-map', '0:v:0', '-vf', video, ...CLIP_VIDEO],
    ...(hasSound
      ? ['-map', '0:a:0', '-af', tempoFilters(speed, clipFrames / FPS), ...clipAudio(2)]
      : ['-an']),
    ...mp4Output(output),
  ]
}

export type ClipFrames = {
  /** First frame of the preview that is in the clip, and the number of the preview's frames in it. */
  readonly startFrame: number
  readonly sourceFrames: number
  /** How often the range is played. @default 1 */
  readonly repeat?: number
  /** Frames of the clip at 30 a second: repeat · (end − start) / speed, to the nearest. */
  readonly clipFrames: number
  readonly speed: number
}

/** How long a clip is whose frames are shown sooner or later. Slowed down, the last frame makes up for the rounding to frames. */
export function copiedSeconds({ speed, sourceFrames, clipFrames }: ClipFrames): number {
  return speed < 1 ? clipFrames / FPS : sourceFrames / (FPS * speed)
}
