import { writeFile } from 'node:fs/promises'
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

/**
 * Forty seconds of 1080p by one process (which the tables call naive) and by several: on the same processors, and as functions of a
 * cloud have it, each with a processor of its own.
 */
export async function benchParallelPrepare(): Promise<void> {
  await inTempFolder('lantern-bench', async (folder) => {
    await compare(folder)
  })
}

async function compare(folder: string): Promise<void> {
  const { path } = await locateFfmpeg({ configured: [process.env.FFMPEG_PATH] })
  const input = join(folder, 'input.mp4')
  console.log(`\ninput: ${await makeInput(path, input, SECONDS)}`)
  const all = availableParallelism()
  const title = `prepare: ${SECONDS} s of 1080p30, one process ("naive") against`
  const prepare = previewMaker(folder, input)
  report(
    `${title} two ("ours"), each on all processors`,
    await inTurn(ROUNDS, prepare(path, all, 1), prepare(path, all, 2)),
  )
  if (process.platform !== 'linux') return
  const pinned = join(folder, 'pinned')
  await writeFile(pinned, `#!/bin/sh\nexec taskset -c 0 '${path}' "$@"\n`, { mode: 0o755 })
  report(
    `${title} ${all} ("ours"), each with a processor of its own`,
    await inTurn(ROUNDS, prepare(pinned, 1, 1), prepare(path, 1, all)),
  )
}

/** @returns what makes a preview by that ffmpeg: threads for so many processors in each of so many processes */
function previewMaker(folder: string, input: string) {
  const { limits, previewSize } = readMediaConfig({})
  const workFolders = createWorkFolders({ folder: join(folder, 'work') })
  const { signal } = new AbortController()
  return (path: string, processors: number, prepareProcesses: number) => async () => {
    const work = await workFolders.open()
    try {
      const dependencies = {
        ffmpeg: createFfmpeg({ path }),
        webp: createSharpWebp(),
        clock: createSystemClock(),
        limits,
        previewSize,
        processors,
        prepareProcesses,
      }
      await preparePreview(dependencies, { path: input, kind: 'video' }, { folder: work, signal })
    } finally {
      await work.dispose()
    }
  }
}
