import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { CLIP_VIDEO, GROUP_FRAMES } from '#core/media/ffmpeg/encodeArgs'
import { inTempFolder } from '#support/process/tempFolder'
import { makeInput } from './benchInput'
import { createMediaSteps } from './mediaSteps'

/** A key frame of the preview. */
const START_FRAME = 9 * GROUP_FRAMES
const FRAMES = 90

/**
 * The picture of a clip that is copied from the preview, and of one that is encoded from it once more, both against the
 * source as VMAF sees them. Needs an ffmpeg with libvmaf: `FFMPEG_PATH` may name one.
 */
export async function benchClipQuality(): Promise<void> {
  const { path: ffmpeg } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const run = promisify(execFile)
  if (!(await run(ffmpeg, ['-hide_banner', '-filters'])).stdout.includes('libvmaf'))
    return console.log('\nquality of the clip: skipped, this ffmpeg has no libvmaf')
  await inTempFolder('lantern-bench', async (folder) => {
    const input = join(folder, 'input.mp4')
    console.log(`\nquality of a clip of 3 s against the source, ${await makeInput(ffmpeg, input, 10)}`)
    await createMediaSteps(ffmpeg, join(folder, 'work')).prepare(input, async (preview) => {
      const steps = createMediaSteps(ffmpeg, join(folder, 'clips'))
      const copied = join(folder, 'copied.mp4')
      await writeFile(copied, (await steps.clip(preview, undefined, START_FRAME, 1)).mp4)
      const encoded = join(folder, 'encoded.mp4')
      const range = `trim=start_frame=${START_FRAME}:end_frame=${START_FRAME + FRAMES},setpts=PTS-STARTPTS`
      await run(ffmpeg, ['-v', 'error', '-i', preview.path, '-an', '-vf', range, ...CLIP_VIDEO, encoded])
      for (const [what, clip] of [
        ['copied', copied],
        ['encoded once more', encoded],
      ] as const)
        console.log(`  ${what.padEnd(18)} VMAF ${(await vmaf(ffmpeg, input, clip)).toFixed(2)}`)
    })
  })
}

/** 0 to 100. @param clip of the preview's size, from `START_FRAME` on */
async function vmaf(ffmpeg: string, input: string, clip: string): Promise<number> {
  const graph =
    `[0:v]fps=30:start_time=0,scale=1280:720:flags=bicubic,trim=start_frame=${START_FRAME}:end_frame=${START_FRAME + FRAMES},` +
    'setpts=PTS-STARTPTS[source];[1:v]setpts=PTS-STARTPTS[clip];[clip][source]libvmaf=n_threads=2'
  const args = ['-hide_banner', '-i', input, '-i', clip, '-lavfi', graph, '-f', 'null', '-']
  const { stderr } = await promisify(execFile)(ffmpeg, args)
  return Number(/VMAF score: ([\d.]+)/.exec(stderr)?.[1])
}
