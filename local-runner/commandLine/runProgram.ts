import { inspect } from 'node:util'
import type { CommandFailure } from './failure'

/**
 * Does the work of a program and reports what it throws on standard error: one line, then what to do about it.
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
    const { exitCode, sentence, hint } = options.failureOf(error)
    stderr.write(`${name}: ${sentence}\n`)
    if (hint !== undefined) stderr.write(`What to do: ${hint}\n`)
    if (options.isDebugging) stderr.write(`${inspect(error)}\n`)
    return exitCode
  }
}
