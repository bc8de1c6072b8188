import { inspect } from 'node:util'
import { EXIT_OK, failureOf } from './failure'
import { helpText } from './help'
import { watchInterrupts } from './interrupts'
import type { Machine } from './machine'
import { makeMotionPhoto } from './makeMotionPhoto'
import { type Options, parseCommand, UsageError } from './options'
import { printable } from './printable'
import { createProgress, NO_PROGRESS, type Progress } from './progress'

/**
 * The whole command: reads its arguments, does the work, tells how it went.
 * @param args what was typed behind the program's name
 * @returns the exit code
 */
export async function runCommandLine(args: readonly string[], machine: Machine): Promise<number> {
  const stdin = process.stdin
  const stdout = process.stdout
  const stderr = process.stderr
  // Whoever reads our output may go away in the middle of it; that is no failure of the work.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
  try {
    const command = parseCommand(args, machine.folder)
    if (command.kind === 'make') return await make(command.options)
    stdout.write(command.kind === 'help' ? helpText(machine.version) : `${machine.version}\n`)
    return EXIT_OK
  } catch (error) {
    return tell(error)
  }

  async function make(options: Options): Promise<number> {
    if (options.input === undefined && stdin.isTTY) {
      throw new UsageError('Standard input is a terminal: pipe a video into it, or name one.')
    }
    const progress = progressFor(options)
    const interrupts = watchInterrupts(() => {
      machine.killAllProcesses()
      progress.end()
    })
    const { signal } = interrupts
    try {
      const result = await makeMotionPhoto(options, machine, { stdin, progress, signal })
      progress.end()
      const path = stdout.isTTY ? printable(result.output) : result.output
      stdout.write(`${options.json ? JSON.stringify(result) : path}\n`)
      return EXIT_OK
    } catch (error) {
      progress.end()
      const exitCode = interrupts.exitCode()
      if (exitCode === undefined) throw error
      say('Stopped. Nothing was written.')
      return exitCode
    }
  }

  function progressFor({ quiet }: Options): Progress {
    if (quiet) return NO_PROGRESS
    return createProgress({
      write: (text) => stderr.write(text),
      isTerminal: stderr.isTTY && machine.terminal.canRedraw,
      hasColour: machine.terminal.hasColour,
      columns: () => stderr.columns || 80,
    })
  }

  function tell(error: unknown): number {
    const { exitCode, sentence } = failureOf(error)
    say(sentence)
    if (machine.isDebugging) stderr.write(`${inspect(error)}\n`)
    return exitCode
  }

  function say(sentence: string): void {
    stderr.write(`motion-photo: ${sentence}\n`)
  }
}
