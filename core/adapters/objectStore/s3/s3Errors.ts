import { ServiceError, systemCode } from '@lantern-room/base'
import bucketErrors from './bucketErrors.json'

/** No object has that key. A missing bucket is an error, not absence. */
export const isAbsent = hasName('NoSuchKey', 'NotFound')
/** The upload was completed or removed. */
export const isUploadGone = hasName('NoSuchUpload')
/** An object exists where none was allowed. */
export const isTaken = hasStatus(412)
/** Two clients wrote to one key at the same moment, and the outcome of neither is known. */
export const isConflict = hasStatus(409)

/** Whether an earlier attempt of the same request may have succeeded although its response was lost. */
export function wasTriedAgain(error: unknown): boolean {
  return (metadataOf(error)?.attempts ?? 1) > 1
}

/** The error reported to clients for a failing store: the store's own message goes into `cause`. */
export function s3Error(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (statusOf(error) === 416) return outOfRange(error)
  return isTimeout(error)
    ? new ServiceError('timeout', 'The storage took too long to answer. Try again later.', { cause: error })
    : new ServiceError('unavailable', 'The storage does not work right now. Try again later.', {
        cause: error,
      })
}

export function outOfRange(cause?: unknown): ServiceError {
  return new ServiceError('out-of-range', 'The range lies outside of the bytes that are stored.', { cause })
}

/** Runs `work`; an error of the store becomes a `ServiceError`. */
export async function onS3<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw s3Error(error)
  }
}

/** Of files in which the SDK looks for credentials, or of their folder: the home of a user without an entry in /etc/passwd. */
const UNREADABLE: ReadonlySet<string | undefined> = new Set([
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'ERR_SYSTEM_ERROR',
])
const UNREACHABLE = /^(E[A-Z_]+|ERR_TLS_.+|.*CERT.*)$/
const SENTENCES: ReadonlyMap<string, string> = new Map(Object.entries(bucketErrors))

/**
 * Describes a failure for the operator: one sentence that names the bucket and what to do about it.
 * @param bucket its name, which the setting `S3_BUCKET` holds
 */
export function bucketError(error: unknown, bucket: string): ServiceError {
  const known = error instanceof ServiceError ? error.cause : error
  const name = nameOf(known)
  const sentence =
    SENTENCES.get(name) ??
    (isOfFiles(known)
      ? bucketErrors.UnreadableCredentials
      : isTimeout(known) || UNREACHABLE.test(systemCode(known) ?? '')
        ? 'cannot be reached. Check S3_ENDPOINT, S3_REGION and the network.'
        : statusOf(known) === 403
          ? bucketErrors.AccessDenied
          : `cannot be written right now (${name || 'unknown error'}). Try again later.`)
  const code = isTimeout(known) ? 'timeout' : 'unavailable'
  return new ServiceError(code, `The bucket ${bucket} (S3_BUCKET) ${sentence}`, { cause: known })
}

/** A firewall may refuse to connect with the same code as a file. */
function isOfFiles(error: unknown): boolean {
  const isOfNetwork = error instanceof Error && 'syscall' in error && error.syscall === 'connect'
  return UNREADABLE.has(systemCode(error)) && !isOfNetwork
}

type Metadata = { readonly httpStatusCode?: number; readonly attempts?: number }

function metadataOf(error: unknown): Metadata | undefined {
  return error instanceof Error && '$metadata' in error ? (error.$metadata as Metadata) : undefined
}

function hasName(...names: readonly string[]): (error: unknown) => boolean {
  return (error) => names.includes(nameOf(error))
}

function hasStatus(status: number): (error: unknown) => boolean {
  return (error) => statusOf(error) === status
}

function statusOf(error: unknown): number | undefined {
  return metadataOf(error)?.httpStatusCode
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

function isTimeout(error: unknown): boolean {
  // The SDK reports a reset connection as a timeout, too.
  if (['ECONNRESET', 'EPIPE'].includes(systemCode(error) ?? '')) return false
  return nameOf(error) === 'TimeoutError' || [408, 504].includes(statusOf(error) ?? 0)
}
