import { type FailureReason, ServiceError } from '#core/errors'
import type { WorkFolder, WorkFolders } from '#core/media/ports'
import { type CommandFailure, failureOf as commonFailureOf } from '../commandLine/failure'
import { printable } from '../commandLine/readArguments'

/** Turns an error into one line and an exit code. */
export function failureOf(thrown: unknown): CommandFailure {
  const failure = commonFailureOf(thrown, 'motion-photo')
  if (!(thrown instanceof ServiceError) || thrown.code !== 'conflict') return failure
  const { exitCode, sentence } = failure
  return { exitCode, sentence: `${sentence} Overwrite it with --force, or name another with --output.` }
}

/** Does work on a file that the user has named, and puts that name in front of what it is refused for. */
export async function about<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const { code, reason } = error
    throw new ServiceError(code, (nameOf) => `${printable(path)}: ${error.detailIn(nameOf)}`, {
      cause: error,
      reason,
    })
  }
}

/** Does work in the temporary folder. Errors about the storage of a service are worded for the user of this machine. */
export async function onThisMachine<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || error.reason === undefined) throw error
    throw new ServiceError(error.code, SENTENCES[error.reason], { cause: error })
  }
}

/** Does work in a folder of its own, which is removed afterwards. */
export async function inWorkFolder<T>(
  workFolders: WorkFolders,
  work: (folder: WorkFolder) => Promise<T>,
): Promise<T> {
  const folder = await onThisMachine(() => workFolders.open())
  try {
    return await work(folder)
  } finally {
    await folder.dispose()
  }
}

const SENTENCES: Readonly<Record<FailureReason, string>> = {
  'storage-full': 'No space is left in the temporary folder. Free some, or set TMPDIR to another one.',
  'storage-unusable': 'The temporary folder cannot be written. Set TMPDIR to another one.',
}
