import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

export const PHONE_CLIP = '/usr/share/forensics-samples/original-files/movie1/VID_20191220_170832.mp4'

/** Frames of `PHONE_CLIP` last 1.3 s at least. */
const SHORTEST_CLIP = 1.3

/**
 * A phone's own recording, repeated, where there is one; else a busy generated picture. 1080p30 with sound.
 * @returns what it is
 */
export async function makeInput(ffmpeg: string, output: string, seconds: number): Promise<string> {
  const run = (args: readonly string[]) => promisify(execFile)(ffmpeg, ['-v', 'error', '-y', ...args])
  if (existsSync(PHONE_CLIP)) {
    const again = ['-stream_loop', String(Math.ceil(seconds / SHORTEST_CLIP) - 1)]
    await run([...again, '-i', PHONE_CLIP, '-t', String(seconds), '-c', 'copy', output])
    return `a phone recording, 1920×1080, repeated to ${seconds} s`
  }
  await run([
    ...['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=30:d=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=440:d=${seconds}`, '-vf', 'noise=alls=12:allf=t'],
    ...['-c:v', 'libx264', '-b:v', '15M', '-preset', 'veryfast', '-pix_fmt', 'yuv420p'],
    ...['-c:a', 'aac', '-shortest', output],
  ])
  return `generated, 1920×1080, ${seconds} s`
}
