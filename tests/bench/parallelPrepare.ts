import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { createSharpWebp } from '#core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { readMediaConfig } from '#core/media/config'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { inTurn, report } from './measure'
import { PHONE_CLIP } from './media'

const ROUNDS = 2
const SECONDS = 40

/** Forty seconds of 1080p by one process (which the table calls naive) and by two. */
export async function benchParallelPrepare(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'lantern-bench-'))
  try {
    await compare(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(folder: string): Promise<void> {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const { limits, previewSize } = readMediaConfig({})
  const input = await makeInput(path, join(folder, 'input.mp4'))
  const workFolders = createWorkFolders({ folder: join(folder, 'work') })
  const tools = {
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits,
    previewSize,
  }
  const { signal } = new AbortController()
  const prepare = (prepareProcesses: number) => async () => {
    const work = await workFolders.open()
    try {
      const dependencies = { ...tools, prepareProcesses }
      await preparePreview(dependencies, { path: input, kind: 'video' }, { folder: work, signal })
    } finally {
      await work.dispose()
    }
  }
  const title = `prepare: ${SECONDS} s of 1080p30, one process ("naive") against two ("ours")`
  report(title, await inTurn(ROUNDS, prepare(1), prepare(2)))
}

/** A phone's own recording, repeated, where there is one; else a busy generated picture. */
async function makeInput(ffmpeg: string, output: string): Promise<string> {
  const length = ['-t', String(SECONDS), '-pix_fmt', 'yuv420p', output]
  const input = existsSync(PHONE_CLIP)
    ? ['-stream_loop', '99', '-i', PHONE_CLIP, '-c', 'copy']
    : [
        ...['-f', 'lavfi', '-i', 'testsrc2=s=1920x1080:r=30,noise=alls=12:allf=t'],
        ...['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '15M'],
      ]
  await promisify(execFile)(ffmpeg, ['-v', 'error', '-y', ...input, ...length])
  return output
}
