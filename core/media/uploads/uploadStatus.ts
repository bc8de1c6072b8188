import type { ErrorCode } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { failureOf, HTTP_STATUS } from '@lantern-room/base/http'
import { z } from 'zod'
import type { ObjectStore } from '../objectStore/ports'
import { shownProgress } from '../progress'
import { isExpired, isId } from '../sessions/session'
import { UPLOAD_TTL_SECONDS, uploadKeys } from './upload'
import { isCancel } from './uploadErrors'

function isErrorCode(code: unknown): boolean {
  return typeof code === 'string' && Object.hasOwn(HTTP_STATUS, code)
}

/** Unix time in seconds. */
const updated_at = z.number()

const uploadStatus = z.discriminatedUnion('state', [
  z.object({
    state: z.enum(['receiving', 'preparing']),
    updated_at,
    progress: shownProgress.optional(),
  }),
  /** `session_id`: undefined when the upload became a photo without a session. `part`: what was asked for of it. */
  z.object({
    state: z.literal('done'),
    updated_at,
    session_id: z.string().optional(),
    part: z.string().optional(),
  }),
  z.object({
    state: z.literal('failed'),
    updated_at,
    error: z.object({ code: z.custom<ErrorCode>(isErrorCode), detail: z.string() }),
    /** Whether the upload is still there and can be prepared again. */
    may_retry: z.boolean(),
  }),
  z.object({ state: z.literal('cancelled'), updated_at }),
])

/**
 * What an upload's small object in the store tells of it, for requests that reach another machine. It outlives the upload,
 * so that a client that lost its connection learns how it ended.
 */
export type UploadStatus = z.infer<typeof uploadStatus>

/** Whether nothing can be done with the upload any more. */
export function isFinal(status: UploadStatus): boolean {
  return (
    status.state === 'done' ||
    status.state === 'cancelled' ||
    (status.state === 'failed' && !status.may_retry)
  )
}

/** @returns undefined for an upload that has none, or none that can be read, a malformed id, or when the upload's time is over */
export async function readStatus(
  store: Pick<ObjectStore, 'get'>,
  id: string,
  nowMs: number,
): Promise<UploadStatus | undefined> {
  const bytes = isId(id) ? await store.get(uploadKeys(id).status) : undefined
  const status = bytes && uploadStatus.safeParse(parseJson(bytes)).data
  return status && !isExpired(status.updated_at + UPLOAD_TTL_SECONDS, nowMs) ? status : undefined
}

export async function writeStatus(
  store: Pick<ObjectStore, 'putBytes'>,
  id: string,
  status: UploadStatus,
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(status))
  await store.putBytes(uploadKeys(id).status, bytes, { contentType: 'application/json' })
}

/** Failures that will be the same the next time. */
const FILE_IS_BAD: readonly ErrorCode[] = ['invalid-request', 'unsupported-media', 'payload-too-large']

/** How a failure leaves an upload. @returns undefined when it is as before, for example still without its file, or gone */
export function statusAfter(error: unknown, updated_at: number): UploadStatus | undefined {
  if (isCancel(error)) return { state: 'cancelled', updated_at }
  const { code, detail } = failureOf(error).error
  if (code === 'conflict' || code === 'not-found') return undefined
  return { state: 'failed', error: { code, detail }, may_retry: !FILE_IS_BAD.includes(code), updated_at }
}
