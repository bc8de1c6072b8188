import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { assert } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { observe, projectRoot } from './serverProcess'

/** The built program, as package.json names it. */
export const program = join(projectRoot, 'dist/local-runner/motionPhoto.mjs')

export type Ended = {
  /** Exit code, or the signal that ended it. */
  readonly exit: number | NodeJS.Signals
  readonly stdout: string
  readonly stderr: string
}

export type Running = {
  readonly child: ChildProcessWithoutNullStreams
  /** Waits until standard error contains this. */
  says(text: string): Promise<void>
  readonly ended: Promise<Ended>
}

export type RunOptions = {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** What to start instead of the program itself. */
  readonly command?: readonly string[]
  /** Standard input; without it there is nothing to read. `open` leaves it open. */
  readonly stdin?: Uint8Array | 'open'
}

/** Starts the program as a user would, with only the settings that are given. */
export function startProgram(args: readonly string[], options: RunOptions = {}): Running {
  const [file = '', ...before] = options.command ?? [process.execPath, program]
  const child = spawn(file, [...before, ...args], {
    cwd: options.cwd ?? projectRoot,
    env: { ...bareEnvironment(), ...options.env },
  })
  const { stdout, stderr, ended } = observe(child)
  // A program that refuses early does not read all of it.
  child.stdin.on('error', () => undefined)
  if (options.stdin !== 'open') child.stdin.end(options.stdin ?? '')
  const isOver = hasResolved(ended)
  return {
    child,
    ended: ended.then((exit) => ({ exit, stdout: stdout(), stderr: stderr() })),
    async says(wanted) {
      const hasSaid = () => stderr().includes(wanted)
      for (const deadline = Date.now() + 100_000; Date.now() < deadline && !isOver() && !hasSaid(); )
        await sleep(10)
      if (hasSaid()) return
      throw new Error(`It never said ${JSON.stringify(wanted)}, only: ${stderr()}`)
    },
  }
}

export function runProgram(args: readonly string[], options?: RunOptions): Promise<Ended> {
  return startProgram(args, options).ended
}

/** Runs the program, which must succeed. */
export async function mustRunProgram(args: readonly string[], options?: RunOptions): Promise<Ended> {
  const ended = await runProgram(args, options)
  assert.is(ended.exit, 0, ended.stderr)
  return ended
}

const KEPT = /^(PATH|HOME|USER|LANG|LC_.*|TMPDIR|TERM|FFMPEG_PATH|FFMPEG_BIN|TEST_PROCESS_MARKS|SystemRoot)$/

function bareEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      KEPT.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )
}
