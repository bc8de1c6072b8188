import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { program } from '#support/process/commandLine'
import { inTempFolder } from '#support/process/tempFolder'
import { PHONE_CLIP } from './benchInput'
import { inTurn, report } from './measure'

const ROUNDS = 5
const run = promisify(execFile)

/** Three seconds in the middle of an hour: the command line against two plain lines of ffmpeg, a clip and a cover. */
export async function benchOneShot(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    const { path: ffmpeg } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
    const input = await makeHour(ffmpeg, folder)
    for (const start of [300, 3300]) {
      const range = ['--start', String(start), '--end', String(start + 3)]
      const ours = () =>
        run(process.execPath, [program, '-qf', ...range, '-o', join(folder, 'ours.jpg'), input], {
          env: { ...process.env, FFMPEG_PATH: ffmpeg },
        })
      const naive = () => twoLines(ffmpeg, input, start, folder)
      report(`motion-photo ${range.join(' ')} of an hour`, await inTurn(ROUNDS, naive, ours), '≥ 0.5×')
    }
  })
}

async function twoLines(ffmpeg: string, input: string, start: number, folder: string): Promise<void> {
  const quiet = ['-v', 'error', '-y']
  await run(ffmpeg, [
    ...[...quiet, '-ss', String(start), '-i', input, '-t', '3', '-pix_fmt', 'yuv420p'],
    ...['-c:v', 'libx264', '-c:a', 'aac', '-movflags', '+faststart', join(folder, 'clip.mp4')],
  ])
  await run(ffmpeg, [
    ...[...quiet, '-ss', String(start + 1.5), '-i', input, '-frames:v', '1', '-q:v', '2'],
    join(folder, 'cover.jpg'),
  ])
}

/** A phone's own recording of 1080p at 3 Mbit/s where there is one, else a generated picture; repeated to an hour. */
async function makeHour(ffmpeg: string, folder: string): Promise<string> {
  const quiet = ['-v', 'error', '-y']
  const part = join(folder, 'part.mp4')
  const hour = join(folder, 'hour.mp4')
  const isReal = existsSync(PHONE_CLIP)
  const scene = isReal
    ? ['-stream_loop', '7', '-i', PHONE_CLIP]
    : ['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30', '-f', 'lavfi', '-i', 'sine=440']
  await run(ffmpeg, [
    ...[...quiet, ...scene, '-t', '10', '-c:v', 'libx264', '-b:v', '3M', '-preset', 'veryfast'],
    ...['-pix_fmt', 'yuv420p', '-c:a', 'aac', part],
  ])
  await run(ffmpeg, [...quiet, '-stream_loop', '-1', '-i', part, '-t', '3600', '-c', 'copy', hour])
  console.log(`input: ${isReal ? 'a phone recording' : 'generated'}, 1080p at 3 Mbit/s, repeated to an hour`)
  return hour
}
