import { ServiceError } from '#core/errors'

/** The system's short name of an error (`ENOENT`), when it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** Nothing is stored under that path: no entry, or a file where a folder would have to be, or a folder itself. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')
}

/** What a client may know about a failing disk. The system's message names paths, so it goes into `cause`. */
export function storageError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const detail =
    details.get(errorCode(error) ?? '') ?? 'The storage does not work right now. Try again later.'
  return new ServiceError('unavailable', detail, { cause: error })
}

/** Runs `work`; an error of the file system becomes a `ServiceError`. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storageError(error)
  }
}

const full = 'The server has no disk space left. Try again later.'
const forbidden = 'The service is not allowed to write to its data folder.'
const busy = 'The server has too many files open. Try again in a moment.'

const details: ReadonlyMap<string, string> = new Map([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['EACCES', forbidden],
  ['EPERM', forbidden],
  ['EROFS', forbidden],
  ['EMFILE', busy],
  ['ENFILE', busy],
])
