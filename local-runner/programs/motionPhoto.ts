import { setFlagsFromString } from 'node:v8'
import { runBatch } from '../cli/batch/runBatch'
import { runStrip } from '../cli/batch/runStrip'
import { composeCommandLine, type MotionPhotoDependencies } from '../cli/compose'
import { failureOf } from '../cli/failure'
import { makeMotionPhoto } from '../cli/makeMotionPhoto'
import { helpText, parseMotionPhotoCommand } from '../cli/options/parseMotionPhotoCommand'
import { isPhotoCommand, parsePhotoCommand } from '../cli/options/photoCommand'
import type { Options } from '../cli/options/readOptions'
import { parseTakeoutCommand } from '../cli/options/takeoutCommand'
import { createProgress, NO_PROGRESS, type PhotoProgress } from '../cli/progress'
import { runPhotoCommand } from '../cli/runPhotoCommand'
import { runTakeout } from '../cli/takeout/runTakeout'
import { tellObject, tellPath } from '../cli/tell'
import { EXIT_OK, runProgram } from '../commandLine/failure'
import { beginLifetime } from '../commandLine/lifetime'
import { refuseRemoved, UsageError } from '../commandLine/readArguments'

/** @returns the exit code */
function run(args: readonly string[], dependencies: MotionPhotoDependencies): Promise<number> {
  const { version, folder, isDebugging } = dependencies
  return runProgram('motion-photo', { isDebugging, failureOf }, async () => {
    const [word, ...rest] = args
    const quietly = (work: (signal: AbortSignal) => Promise<number>, stopped?: string) =>
      untilStopped(dependencies, NO_PROGRESS, work, stopped)
    refuseRemoved(word)
    if (word === 'takeout') return takeout(rest, dependencies, quietly)
    if (isPhotoCommand(word)) {
      const command = parsePhotoCommand(word, rest, folder)
      if (command.kind === 'strip')
        return quietly((signal) => runStrip(command, dependencies, signal), BATCH_STOPPED)
      return quietly((signal) => runPhotoCommand(command, dependencies, signal))
    }
    const command = parseMotionPhotoCommand(args, folder)
    if (command.kind === 'make') return make(command.options, dependencies)
    if (command.kind === 'batch')
      return quietly((signal) => runBatch(command, dependencies, signal), BATCH_STOPPED)
    process.stdout.write(command.kind === 'help' ? helpText('make', version) : `${version}\n`)
    return EXIT_OK
  })
}

type Quietly = (work: (signal: AbortSignal) => Promise<number>, stopped?: string) => Promise<number>

async function takeout(
  args: readonly string[],
  dependencies: MotionPhotoDependencies,
  quietly: Quietly,
): Promise<number> {
  const parsed = parseTakeoutCommand(args, dependencies.folder)
  if (parsed.kind === 'takeout')
    return quietly((signal) => runTakeout(parsed.command, dependencies, signal), BATCH_STOPPED)
  process.stdout.write(helpText('takeout'))
  return EXIT_OK
}

async function make(options: Options, dependencies: MotionPhotoDependencies): Promise<number> {
  const stdin = process.stdin
  if (options.input === undefined && stdin.isTTY) {
    throw new UsageError('Standard input is a terminal: pipe a video into it, or name one.')
  }
  const progress = progressFor(options, dependencies)
  return untilStopped(dependencies, progress, async (signal) => {
    const { result, notes } = await makeMotionPhoto(options, dependencies, { stdin, progress, signal })
    progress.end()
    for (const note of notes) process.stderr.write(`motion-photo: ${note}\n`)
    if (options.json) tellObject(result)
    else tellPath(result.output)
    return EXIT_OK
  })
}

const BATCH_STOPPED = 'Stopped. The photos that are listed are whole; the same command goes on with the rest.'

/** Does work that ends when the process is asked to stop. */
async function untilStopped(
  dependencies: MotionPhotoDependencies,
  progress: PhotoProgress,
  work: (signal: AbortSignal) => Promise<number>,
  stopped = 'Stopped. Nothing was written.',
): Promise<number> {
  // A second signal ends the process at once, by way of this.
  process.on('exit', () => {
    dependencies.killAllProcesses()
    progress.end()
  })
  const lifetime = beginLifetime({})
  try {
    return await work(lifetime.signal)
  } catch (error) {
    progress.end()
    const exitCode = lifetime.exitCode()
    if (exitCode === undefined) throw error
    process.stderr.write(`motion-photo: ${stopped}\n`)
    return exitCode
  }
}

function progressFor({ quiet }: Options, { terminal }: MotionPhotoDependencies): PhotoProgress {
  if (quiet) return NO_PROGRESS
  const stderr = process.stderr
  return createProgress({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY && terminal.canRedraw,
    hasColour: terminal.hasColour,
    columns: () => stderr.columns || 80,
  })
}

/**
 * The command `motion-photo`, from its words to the exit code of this process.
 * @param args what was typed after its name
 */
export async function motionPhoto(args: readonly string[]): Promise<void> {
  // A photo is a few arrays of megabytes beside a heap of ten. By default V8 would go through that heap thrice for each.
  setFlagsFromString('--heap-growing-percent=400')
  // The process ends by itself, so that everything it has written arrives.
  process.exitCode = await run(args, composeCommandLine())
}
