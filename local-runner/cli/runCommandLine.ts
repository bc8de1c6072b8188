import { EXIT_OK } from '../commandLine/failure'
import { beginLifetime } from '../commandLine/lifetime'
import { printable } from '../commandLine/printable'
import { runProgram } from '../commandLine/runProgram'
import { UsageError } from '../commandLine/usageError'
import { failureOf } from './failure'
import { helpText } from './help'
import type { Machine } from './machine'
import { makeMotionPhoto } from './makeMotionPhoto'
import { type Options, parseMotionPhotoCommand } from './parseMotionPhotoCommand'
import { createProgress, NO_PROGRESS, type Progress } from './progress'

/**
 * The command `motion-photo`.
 * @param args what was typed after the program's name
 * @returns the exit code
 */
export function runCommandLine(args: readonly string[], machine: Machine): Promise<number> {
  const { version, folder, isDebugging } = machine
  return runProgram('motion-photo', { isDebugging, failureOf }, async () => {
    const command = parseMotionPhotoCommand(args, folder)
    if (command.kind === 'make') return make(command.options, machine)
    process.stdout.write(command.kind === 'help' ? helpText(version) : `${version}\n`)
    return EXIT_OK
  })
}

async function make(options: Options, machine: Machine): Promise<number> {
  const { stdin, stdout, stderr } = process
  if (options.input === undefined && stdin.isTTY) {
    throw new UsageError('Standard input is a terminal: pipe a video into it, or name one.')
  }
  const progress = progressFor(options, machine)
  // A second signal ends the process at once, by way of this.
  process.on('exit', () => {
    machine.killAllProcesses()
    progress.end()
  })
  const lifetime = beginLifetime({})
  try {
    const result = await makeMotionPhoto(options, machine, { stdin, progress, signal: lifetime.signal })
    progress.end()
    const path = stdout.isTTY ? printable(result.output) : result.output
    stdout.write(`${options.json ? JSON.stringify(result) : path}\n`)
    return EXIT_OK
  } catch (error) {
    progress.end()
    const exitCode = lifetime.exitCode()
    if (exitCode === undefined) throw error
    stderr.write('motion-photo: Stopped. Nothing was written.\n')
    return exitCode
  }
}

function progressFor({ quiet }: Options, { terminal }: Machine): Progress {
  if (quiet) return NO_PROGRESS
  const { stderr } = process
  return createProgress({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTTY && terminal.canRedraw,
    hasColour: terminal.hasColour,
    columns: () => stderr.columns || 80,
  })
}
