import { type CopyPlan, copyFrames, headMovie, type Pictures } from '@lantern-room/mp4/clip'
import { HEAD_VIDEO } from '#media/ffmpeg/encodeArgs'
import { OWN_PIPE } from '#media/ffmpeg/ffmpegInput'
import { type FfmpegRun, runFfmpeg } from '#media/ffmpeg/requireSuccess'
import { FPS } from '#media/frames'

/** A head of one frame is encoded as two key frames, of which one is used: see `keyFramesUnlike`. */
const TWICE = ',tpad=stop=1:stop_mode=clone'
const ALL_KEY_FRAMES = ['-force_key_frames', 'expr:1']

/**
 * Makes the pictures of a clip from those of a preview: copies them, except for the few before the first key frame.
 * @param seconds how long the clip is shown; the last picture is held as long as it takes
 * @returns undefined when the re-encoded pictures would need other parameters than the copied ones
 * @throws ServiceError `internal`, `timeout`
 */
export async function copyPictures(
  run: FfmpegRun,
  plan: CopyPlan,
  speed: number,
  seconds: number,
): Promise<Pictures | undefined> {
  const head = plan.headFrames.length === 0 ? new Uint8Array() : await encodeHead(run, plan)
  return copyFrames(plan, head, { speed, fps: FPS, seconds })
}

/** Decodes the group in which the clip begins, and encodes frames of its end. */
async function encodeHead(run: FfmpegRun, plan: CopyPlan): Promise<Uint8Array> {
  const { stdout } = await runFfmpeg(run, headArgs(plan), headMovie(plan))
  return stdout
}

/** Arguments that make an H.264 stream of a plan's head from its movie on standard input. */
export function headArgs({ cut, headFrames: frames }: CopyPlan): string[] {
  const { group, start, key } = cut
  const isOne = frames.length === 1
  const isAll = frames.length === key - start
  const wanted = isAll ? '' : `select='${frames.map((frame) => `eq(n,${frame})`).join('+')}',`
  return [
    ...['-threads', '1', ...OWN_PIPE, '-map', '0:v:0'],
    ...['-vf', `trim=start_frame=${start - group},${wanted}setpts=N/${FPS}/TB${isOne ? TWICE : ''}`],
    ...[...HEAD_VIDEO, ...(isOne ? ALL_KEY_FRAMES : [])],
    ...['-f', 'h264', 'pipe:1'],
  ]
}
