import { ServiceError } from '#core/errors'

/** @param folder which one, as the begin of a sentence */
export function unusableFolder(folder: string, cause: unknown): ServiceError {
  const remedy = isFull(cause) ? 'The disk is full: make room on it' : 'Give this user the right to write'
  return new ServiceError(
    'unavailable',
    `${folder} cannot be used. ${remedy}, or set DATA_DIR to another folder.`,
    { cause },
  )
}

function isFull(cause: unknown): boolean {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT'
}
