import { type FailureReason, ServiceError, systemCode } from '#core/errors'

/** Nothing is stored under that path: no entry, or a file where a folder would have to be, or a folder itself. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(systemCode(error) ?? '')
}

/** What `work` finds; undefined when nothing is stored under its path. */
export async function ifPresent<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

/** The error reported to clients for a failing disk. The system's message names paths, so it goes into `cause`. */
export function storageError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const { detail, reason } = PROBLEMS.get(systemCode(error) ?? '') ?? UNKNOWN
  return new ServiceError('unavailable', detail, { cause: error, reason })
}

/** Runs `work`; an error of the file system becomes a `ServiceError`. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw storageError(error)
  }
}

type Problem = { readonly detail: string; readonly reason: FailureReason | undefined }

const FULL: Problem = {
  detail: 'The server has no disk space left. Try again later.',
  reason: 'storage-full',
}
const FORBIDDEN: Problem = {
  detail: 'The service is not allowed to write to its data folder.',
  reason: 'storage-unusable',
}
const BUSY: Problem = {
  detail: 'The server has too many files open. Try again in a moment.',
  reason: undefined,
}
const UNKNOWN: Problem = {
  detail: 'The storage does not work right now. Try again later.',
  reason: 'storage-unusable',
}

const PROBLEMS: ReadonlyMap<string, Problem> = new Map([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  ['EACCES', FORBIDDEN],
  ['EPERM', FORBIDDEN],
  ['EROFS', FORBIDDEN],
  ['EMFILE', BUSY],
  ['ENFILE', BUSY],
])
