import { ServiceError } from '#core/errors'

/** A sign of work that is older means that the process which gave it has ended. */
export const STALE_AFTER_SECONDS = 30

export function unknownUpload(): ServiceError {
  return new ServiceError(
    'not-found',
    'There is no such upload: it was used, or has expired. Ask POST /uploads for a new one.',
  )
}

export function taken(): ServiceError {
  return new ServiceError(
    'conflict',
    'The file of this upload is there already, or was being stored when the service stopped. Prepare it, or ask POST /uploads for a new one.',
  )
}

export function inUse(): ServiceError {
  return new ServiceError(
    'conflict',
    'This upload is being prepared. Wait for the answer; if the service was stopped meanwhile, try again in half a minute.',
    { retryAfterSeconds: STALE_AFTER_SECONDS },
  )
}

class TakenOver extends ServiceError {}

/** For a process that gave no sign for so long that another one has taken its upload over. */
export function takenOver(): ServiceError {
  return new TakenOver(
    'conflict',
    'This upload is being prepared elsewhere, or is finished. Ask GET /uploads/{upload_id} for its state.',
  )
}

export function isTakenOver(error: unknown): boolean {
  return error instanceof TakenOver
}

/** For an upload whose process has ended; it can be prepared again. */
export function abandoned(): ServiceError {
  return new ServiceError(
    'unavailable',
    'The service was stopped while it prepared this upload. Prepare it again.',
  )
}

/** For a file that seems to end every process that reads it. */
export function hopeless(): ServiceError {
  return new ServiceError(
    'invalid-request',
    'The service was stopped each time that it prepared this upload. Send another file.',
  )
}

export function notThereYet(): ServiceError {
  return new ServiceError(
    'conflict',
    'The file of this upload has not arrived. Send it to the url that POST /uploads gave, and then prepare it.',
  )
}

export function otherSize(size: number): ServiceError {
  return new ServiceError(
    'invalid-request',
    `The file of this upload does not have the ${size} bytes that were announced. Upload it again.`,
  )
}

class CancelledUpload extends ServiceError {}

/** For the request whose upload was cancelled by another one. */
export function cancelledUpload(): ServiceError {
  return new CancelledUpload('conflict', 'The upload was cancelled. Ask POST /uploads for a new one.')
}

export function isCancel(error: unknown): boolean {
  return error instanceof CancelledUpload
}

/** For a cancel that comes too late. */
export function finishedUpload(isPrepared: boolean): ServiceError {
  return new ServiceError(
    'conflict',
    isPrepared
      ? 'This upload was prepared already. Use POST /cleanup to remove its session.'
      : 'This upload was refused or cancelled already. There is nothing left to cancel.',
  )
}
