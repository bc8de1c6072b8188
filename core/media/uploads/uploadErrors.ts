import { ServiceError } from '#core/errors'

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
    'This upload is being prepared, or was when the service stopped. Wait for the answer, or upload the file again.',
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
