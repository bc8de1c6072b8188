import { inspect } from 'node:util'
import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { ConfigError } from '@lantern-room/base/settings'
import { printable, UsageError } from './readArguments'

export const EXIT_OK = 0
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
export const EXIT_ENVIRONMENT = 3

/** Failures of this machine; all others are of what was asked. */
const OF_THIS_MACHINE: readonly ErrorCode[] = ['too-busy', 'unavailable']

/** How a program that failed ends. */
export type CommandFailure = {
  readonly exitCode: number
  /** One line for the user. */
  readonly sentence: string
}

/**
 * Turns an error into one line and an exit code.
 * @param program its name, for the reference to its help
 */
export function failureOf(thrown: unknown, program: string): CommandFailure {
  if (thrown instanceof UsageError) {
    const command = thrown.command === undefined ? program : `${program} ${thrown.command}`
    return { exitCode: EXIT_USAGE, sentence: `${thrown.message} See ${command} --help.` }
  }
  if (thrown instanceof ConfigError) {
    return { exitCode: EXIT_ENVIRONMENT, sentence: `A setting is wrong: ${thrown.problems.join(' ')}` }
  }
  if (thrown instanceof ServiceError) {
    const exitCode = OF_THIS_MACHINE.includes(thrown.code) ? EXIT_ENVIRONMENT : EXIT_FAILED
    return { exitCode, sentence: printable(thrown.detail) }
  }
  const sentence = `This program made a mistake. Please report it: ${printable(String(thrown))}`
  return { exitCode: EXIT_FAILED, sentence }
}

/**
 * Does the work of a program and reports what it throws on standard error in one line.
 * @param options.isDebugging whether the error itself is shown, too
 * @returns the exit code
 */
export async function runProgram(
  name: string,
  options: { readonly isDebugging: boolean; readonly failureOf: (thrown: unknown) => CommandFailure },
  work: () => Promise<number>,
): Promise<number> {
  const stdout = process.stdout
  const stderr = process.stderr
  // A reader that closes its end of a pipe early does not make the work fail.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
  try {
    return await work()
  } catch (error) {
    const { exitCode, sentence } = options.failureOf(error)
    stderr.write(`${name}: ${sentence}\n`)
    if (options.isDebugging) stderr.write(`${inspect(error)}\n`)
    return exitCode
  }
}
