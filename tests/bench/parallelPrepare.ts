import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createFfmpeg } from '#core/adapters/ffmpeg/ffmpeg'
import { locateFfmpeg } from '#core/adapters/ffmpeg/ffmpegLocation'
import { createSharpWebp } from '#core/adapters/ffmpeg/sharpWebp'
import { createWorkFolders } from '#core/adapters/files/workFolders'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { readMediaConfig } from '#core/media/config'
import { preparePreview } from '#core/media/prepare/preparePreview'
import { inTempFolder } from '#support/process/tempFolder'
import { makeInput } from './benchInput'
import { inTurn, report } from './measure'

const ROUNDS = 2
const SECONDS = 40

/** Forty seconds of 1080p by one process (which the table calls naive) and by two. */
export async function benchParallelPrepare(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    await compare(folder)
  })
}

async function compare(folder: string): Promise<void> {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const { limits, previewSize } = readMediaConfig({})
  const input = join(folder, 'input.mp4')
  console.log(`\ninput: ${await makeInput(path, input, SECONDS)}`)
  const workFolders = createWorkFolders({ folder: join(folder, 'work') })
  const tools = {
    ffmpeg: createFfmpeg({ path }),
    webp: createSharpWebp(),
    clock: createSystemClock(),
    limits,
    previewSize,
    processors: availableParallelism(),
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
