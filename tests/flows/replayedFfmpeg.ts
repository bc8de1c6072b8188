import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import type { Ffmpeg, FfmpegOutcome, FfmpegTask } from '@lantern-room/media/ports'

type Recorded = { readonly outcome: FfmpegOutcome; readonly files: ReadonlyMap<number, Uint8Array> }

/**
 * A real ffmpeg that works once for each task: the next time its answer and its files are given again. For tests that do
 * the same with one film hundreds of times; tasks with the same arguments but for paths, and the same bytes of input, count as the same.
 */
export function replayedFfmpeg(ffmpeg: Ffmpeg): Ffmpeg {
  const recorded = new Map<string, Recorded>()

  async function record(task: FfmpegTask): Promise<Recorded> {
    const paths = task.args.map(pathIn)
    const isOutput = paths.map((path) => path !== undefined && !existsSync(path))
    const outcome = await ffmpeg.run(task)
    const files = new Map<number, Uint8Array>()
    for (const [index, path] of paths.entries())
      if (path !== undefined && isOutput[index]) files.set(index, await readFile(path))
    return { outcome, files }
  }

  return {
    ...ffmpeg,
    async run(task) {
      const { stdin = new Uint8Array() } = task
      if (!(stdin instanceof Uint8Array)) return ffmpeg.run(task)
      const input = createHash('sha256').update(stdin).digest('hex')
      const key = JSON.stringify([input, ...task.args.map((argument) => (pathIn(argument) ? '/' : argument))])
      const known = recorded.get(key)
      if (!known) {
        const made = await record(task)
        recorded.set(key, made)
        return made.outcome
      }
      for (const [index, bytes] of known.files) await writeFile(pathIn(task.args[index]) ?? '', bytes)
      return known.outcome
    },
  }
}

function pathIn(argument = ''): string | undefined {
  return /^(?:file:)?(\/.+)$/.exec(argument)?.[1]
}
