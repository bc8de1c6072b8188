import { type FailureReason, ServiceError, systemCode } from '@lantern-room/base'

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
  const code = systemCode(error) ?? ''
  const [, detail, reason] = PROBLEMS.find(([codes]) => codes.includes(code)) ?? UNKNOWN
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

const PROBLEMS: readonly (readonly [
  codes: readonly string[],
  detail: string,
  reason: FailureReason | undefined,
])[] = [
  [['ENOSPC', 'EDQUOT'], 'The server has no disk space left. Try again later.', 'storage-full'],
  [
    ['EACCES', 'EPERM', 'EROFS'],
    'The service is not allowed to write to its data folder.',
    'storage-unusable',
  ],
  [['EMFILE', 'ENFILE'], 'The server has too many files open. Try again in a moment.', undefined],
]
const UNKNOWN = [[], 'The storage does not work right now. Try again later.', 'storage-unusable'] as const
