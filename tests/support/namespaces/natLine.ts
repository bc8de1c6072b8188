import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProgram } from '../process/findProgram'
import { projectRoot, startServer } from '../process/serverProcess'

const run = promisify(execFile)

/** What a home's line is like, the same in each direction. */
export type LineFigures = {
  /** One way. */
  readonly delayMs: number
  readonly lossPercent?: number
  /** Undefined for no limit. */
  readonly megabitsPerSecond?: number
  /** How long the queue before it may grow. */
  readonly queueMs?: number
}

/** One end of a line: the network card that it makes there. */
export type LineEnd = { readonly namespace: string; readonly card: string }

export type Carried = {
  readonly carried: number
  readonly bytes: number
  readonly lost: number
  /** For want of room in the queue. */
  readonly dropped: number
}

export type SlowLine = {
  /** Takes both cards away. */
  close(): Promise<{ readonly there: Carried; readonly back: Carried }>
}

/** Whether lines can be emulated here: the emulator is compiled when it is needed. */
export const hasSlowLine = findProgram('cc') !== undefined && existsSync('/dev/net/tun')
export const WHY_NO_SLOW_LINE = 'a slow line needs a C compiler, cc, and /dev/net/tun'

/** Joins two namespaces by a line as homes have it. Both cards are there when it resolves, and are down. */
export async function openSlowLine(one: LineEnd, other: LineEnd, figures: LineFigures): Promise<SlowLine> {
  const { delayMs, lossPercent = 0, megabitsPerSecond = 0, queueMs = 100 } = figures
  const ends = [one, other].flatMap(({ namespace, card }) => [namespace, card])
  const numbers = [delayMs, lossPercent, megabitsPerSecond, queueMs, 1].map(String)
  const line = startServer([...ends, ...numbers], {}, await compiled())
  await line.said(/^ready$/m)
  return {
    async close() {
      await line.end()
      return JSON.parse(/^\{.*\}$/m.exec(line.stdout())?.[0] ?? '{}')
    },
  }
}

/** @returns the emulator's path: once compiled it stays, under a name that its source decides */
async function compiled(): Promise<string> {
  const source = join(projectRoot, 'tests/support/namespaces/natLine.c')
  const mark = createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 16)
  const folder = join(projectRoot, 'node_modules/.cache')
  const program = join(folder, `nat-line-${mark}`)
  if (existsSync(program)) return program
  await mkdir(folder, { recursive: true })
  const own = `${program}-${process.pid}`
  await run('cc', ['-O2', '-o', own, source])
  await rename(own, program)
  return program
}
