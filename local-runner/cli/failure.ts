import { ConfigError } from '#core/environment'
import { type ErrorCode, ServiceError } from '#core/errors'
import { UsageError } from './options'
import { printable } from './printable'

export const EXIT_OK = 0
const EXIT_FAILED = 1
const EXIT_USAGE = 2
const EXIT_ENVIRONMENT = 3

/** What each failure is on the command line. A new code does not compile until it has an exit code here. */
const EXIT_CODES: Readonly<Record<ErrorCode, typeof EXIT_FAILED | typeof EXIT_ENVIRONMENT>> = {
  'invalid-request': EXIT_FAILED,
  'not-found': EXIT_FAILED,
  conflict: EXIT_FAILED,
  'payload-too-large': EXIT_FAILED,
  'unsupported-media': EXIT_FAILED,
  'out-of-range': EXIT_FAILED,
  unprocessable: EXIT_FAILED,
  timeout: EXIT_FAILED,
  internal: EXIT_FAILED,
  // These three come from a server only.
  'method-not-allowed': EXIT_FAILED,
  'not-acceptable': EXIT_FAILED,
  forbidden: EXIT_FAILED,
  unauthorized: EXIT_FAILED,
  'too-busy': EXIT_ENVIRONMENT,
  unavailable: EXIT_ENVIRONMENT,
}

export type Failure = { readonly exitCode: number; readonly sentence: string }

/** Whatever was thrown, as one line and an exit code. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof UsageError) {
    return { exitCode: EXIT_USAGE, sentence: `${thrown.message} See motion-photo --help.` }
  }
  if (thrown instanceof ConfigError) {
    return { exitCode: EXIT_ENVIRONMENT, sentence: `A setting is wrong: ${thrown.problems.join(' ')}` }
  }
  if (thrown instanceof ServiceError) {
    const hint =
      thrown.code === 'conflict' ? ' Overwrite it with --force, or name another with --output.' : ''
    return { exitCode: EXIT_CODES[thrown.code], sentence: thrown.detail + hint }
  }
  const sentence = `This program made a mistake. Please report it: ${printable(String(thrown))}`
  return { exitCode: EXIT_FAILED, sentence }
}

/** Does work on a file that the user has named; what it is refused for is told with that name. */
export async function about<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new ServiceError(error.code, `${printable(path)}: ${error.detail}`, { cause: error })
  }
}

/** Does work in the temporary folder; what the machine lacks is told in words for whoever sits before it. */
export async function onThisMachine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'unavailable') throw error
    const detail = HERE.find(([words]) => words.test(error.detail))?.[1]
    throw detail === undefined ? error : new ServiceError(error.code, detail, { cause: error })
  }
}

const HERE: readonly (readonly [RegExp, string])[] = [
  [/space left/, 'No space is left in the temporary folder. Free some, or set TMPDIR to another one.'],
  [/data folder|storage/, 'The temporary folder cannot be written. Set TMPDIR to another one.'],
]
