import { ServiceError } from '@lantern-room/base'

/** A sign of work that is older means that the process which gave it has ended. */
export const STALE_AFTER_SECONDS = 30

type Told = ConstructorParameters<typeof ServiceError>

const REFUSALS = {
  unknown: [
    'not-found',
    'There is no such upload: it was used, or has expired. Ask POST /uploads for a new one.',
  ],
  taken: [
    'conflict',
    'The file of this upload is there already, or was being stored when the service stopped. Prepare it, or ask POST /uploads for a new one.',
  ],
  inUse: [
    'conflict',
    'This upload is being prepared. Wait for the answer; if the service was stopped meanwhile, try again in half a minute.',
    { retryAfterSeconds: STALE_AFTER_SECONDS },
  ],
  /** For a process that gave no sign for so long that another one has taken its upload over. */
  takenOver: [
    'conflict',
    'This upload is being prepared elsewhere, or is finished. Ask GET /uploads/{upload_id} for its state.',
  ],
  /** For an upload whose process has ended; it can be prepared again. */
  abandoned: ['unavailable', 'The service was stopped while it prepared this upload. Prepare it again.'],
  /** For a file that seems to end every process that reads it. */
  hopeless: [
    'invalid-request',
    'The service was stopped each time that it prepared this upload. Send another file.',
  ],
  notThere: [
    'conflict',
    'The file of this upload has not arrived. Send it to the url that POST /uploads gave, and then prepare it.',
  ],
  /** For the request whose upload was cancelled by another one. */
  cancelled: ['conflict', 'The upload was cancelled. Ask POST /uploads for a new one.'],
  /** The next two: for a cancel that comes too late. */
  isPrepared: ['conflict', 'This upload was prepared already. Use POST /cleanup to remove its session.'],
  isOver: ['conflict', 'This upload was refused or cancelled already. There is nothing left to cancel.'],
} satisfies Readonly<Record<string, Told>>

export class UploadError extends ServiceError {
  readonly refusal: keyof typeof REFUSALS
  /** Of an upload that is in use: seconds until it can be taken over at the earliest, if its process has ended. */
  readonly freeInSeconds: number

  constructor(refusal: keyof typeof REFUSALS, freeInSeconds = STALE_AFTER_SECONDS + 1) {
    const told: Told = REFUSALS[refusal]
    super(...told)
    this.refusal = refusal
    this.freeInSeconds = freeInSeconds
  }
}

/** Whether another process works on the upload, or may still do so. */
export function isInUse(error: unknown): error is UploadError {
  return error instanceof UploadError && (error.refusal === 'inUse' || error.refusal === 'takenOver')
}

export function isCancel(error: unknown): boolean {
  return error instanceof UploadError && error.refusal === 'cancelled'
}

export function otherSize(size: number): ServiceError {
  return new ServiceError(
    'invalid-request',
    `The file of this upload does not have the ${size} bytes that were announced. Upload it again.`,
  )
}
