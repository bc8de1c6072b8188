import { z } from 'zod'
import { parseJson } from '#core/bytes'
import type { ErrorCode } from '#core/errors'
import { failureOf, HTTP_STATUS } from '#core/http/errorResponse'
import type { ObjectStore } from '../objectStore/ports'
import { type ShownProgress, STAGES } from '../progress'
import { isExpired } from '../sessions/session'
import { isUploadId, UPLOAD_TTL_SECONDS, uploadKeys } from './upload'
import { isCancel } from './uploadErrors'

/**
 * What an upload's small object in the store tells of it, for requests that reach another machine. It outlives the upload,
 * so that a client that lost its connection learns how it ended.
 */
export type UploadStatus = { readonly updatedAt: number } & (
  | { readonly state: 'receiving' | 'preparing'; readonly progress: ShownProgress | undefined }
  /** `sessionId`: undefined when the upload became a photo without a session. */
  | { readonly state: 'done'; readonly sessionId: string | undefined }
  | {
      readonly state: 'failed'
      readonly error: { readonly code: ErrorCode; readonly detail: string }
      /** Whether the upload is still there and can be prepared again. */
      readonly mayRetry: boolean
    }
  | { readonly state: 'cancelled' }
)

const storedStatus = z.object({
  /** Unix time in seconds. */
  updated_at: z.number(),
  state: z.enum(['receiving', 'preparing', 'done', 'failed', 'cancelled']),
  progress: z
    .object({
      stage: z.enum(STAGES),
      percent: z.number().optional(),
      seconds_left: z.number().optional(),
      place: z.number().optional(),
      received_bytes: z.number().optional(),
    })
    .optional(),
  session_id: z.string().optional(),
  error: z.object({ code: z.custom<ErrorCode>(isErrorCode), detail: z.string() }).optional(),
  may_retry: z.boolean().optional(),
})

function isErrorCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(HTTP_STATUS, code)
}

export function encodeStatus(status: UploadStatus): Uint8Array {
  return new TextEncoder().encode(
    JSON.stringify({
      updated_at: status.updatedAt,
      state: status.state,
      progress: 'progress' in status ? status.progress : undefined,
      session_id: status.state === 'done' ? status.sessionId : undefined,
      error: status.state === 'failed' ? status.error : undefined,
      may_retry: status.state === 'failed' ? status.mayRetry : undefined,
    }),
  )
}

/** @returns undefined when the bytes are no status */
export function decodeStatus(bytes: Uint8Array): UploadStatus | undefined {
  const stored = storedStatus.safeParse(parseJson(bytes)).data
  if (!stored) return undefined
  const { state, updated_at: updatedAt } = stored
  if (state === 'done') return { state, updatedAt, sessionId: stored.session_id }
  if (state === 'cancelled') return { state, updatedAt }
  if (state !== 'failed') return { state, updatedAt, progress: stored.progress as ShownProgress | undefined }
  return stored.error && { state, updatedAt, error: stored.error, mayRetry: stored.may_retry ?? false }
}

/** Whether nothing can be done with the upload any more. */
export function isFinal(status: UploadStatus): boolean {
  return (
    status.state === 'done' || status.state === 'cancelled' || (status.state === 'failed' && !status.mayRetry)
  )
}

/** @returns undefined for an upload that has none, a malformed id, or when the upload's time is over */
export async function readStatus(
  store: Pick<ObjectStore, 'get'>,
  id: string,
  nowMs: number,
): Promise<UploadStatus | undefined> {
  const bytes = isUploadId(id) ? await store.get(uploadKeys(id).status) : undefined
  const status = bytes && decodeStatus(bytes)
  return status && !isExpired(status.updatedAt + UPLOAD_TTL_SECONDS, nowMs) ? status : undefined
}

export async function writeStatus(
  store: Pick<ObjectStore, 'putBytes'>,
  id: string,
  status: UploadStatus,
): Promise<void> {
  await store.putBytes(uploadKeys(id).status, encodeStatus(status), { contentType: 'application/json' })
}

/** Failures that will be the same the next time. */
const FILE_IS_BAD: readonly ErrorCode[] = ['invalid-request', 'unsupported-media', 'payload-too-large']

/** How a failure leaves an upload. @returns undefined when it is as before, for example still without its file */
export function statusAfter(error: unknown, updatedAt: number): UploadStatus | undefined {
  if (isCancel(error)) return { state: 'cancelled', updatedAt }
  const { code, detail } = failureOf(error).error
  if (code === 'conflict') return undefined
  return { state: 'failed', error: { code, detail }, mayRetry: !FILE_IS_BAD.includes(code), updatedAt }
}
