import { HTTP_STATUS } from '@lantern-room/base/http'
import { isId } from '../sessions/session'
import type { Sessions } from '../sessions/sessions'
import type { Resume } from './asked'
import { readClaims } from './claims'
import { type Upload, uploadKeys } from './upload'
import { STALE_AFTER_SECONDS, UploadError } from './uploadErrors'
import { isFinal, readStatus, statusAfter, type UploadStatus, writeStatus } from './uploadStatus'
import type { UploadParts } from './uploads'

type FollowDependencies = Pick<UploadParts, 'store' | 'uploads' | 'clock'>

/** Where an upload stands. */
export type UploadProgress = {
  readonly state: 'allowed' | 'receiving' | 'received' | 'preparing' | 'done' | 'failed' | 'cancelled'
  /** Undefined once the upload is used up. */
  readonly upload: Upload | undefined
  readonly status: UploadStatus | undefined
}

/**
 * Where an upload stands. If its process has ended, work that no request waited for goes on, here or by the queue; other work has failed,
 * and the upload can be prepared again.
 * @param resume @default nothing goes on by itself
 * @throws ServiceError `not-found`
 */
export async function followUpload(
  dependencies: FollowDependencies,
  id: string,
  resume?: Resume,
): Promise<UploadProgress> {
  const { store, clock } = dependencies
  const status = await readStatus(store, id, clock.unixTime())
  if (status && isFinal(status)) return ended(status)
  const seen = standing(dependencies, id, status, resume)
  const isClaimed = await seen.then(
    ({ state }) => state === 'preparing',
    () => false,
  )
  // Work that ends meanwhile writes its outcome first and then removes what was looked for.
  const later = isClaimed ? undefined : await readStatus(store, id, clock.unixTime())
  return later && isFinal(later) ? ended(later) : seen
}

function ended(status: UploadStatus): UploadProgress {
  return { state: status.state, upload: undefined, status }
}

async function standing(
  { uploads, store, clock }: FollowDependencies,
  id: string,
  status: UploadStatus | undefined,
  resume: Resume | undefined,
): Promise<UploadProgress> {
  const upload = await uploads.find(id)
  const { claim, file } = uploadKeys(id)
  if (await store.head(claim)) {
    if (status?.state === 'preparing' && isWorkedOn(status, clock.unixTime()))
      return { state: status.state, upload, status }
    const claims = await readClaims(store, id, clock.unixTime())
    if (!claims?.isStale) return { state: 'preparing', upload, status: undefined }
    if (await resume?.(id, true)) return { state: 'received', upload, status: undefined }
    return {
      state: 'failed',
      upload,
      status: statusAfter(new UploadError('abandoned'), Math.floor(clock.unixTime() / 1000)),
    }
  }
  if (status?.state === 'failed') return { state: 'failed', upload, status }
  if (await store.head(file)) {
    await resume?.(id, false)
    return { state: 'received', upload, status: undefined }
  }
  return status?.state === 'receiving'
    ? { state: 'receiving', upload, status }
    : { state: 'allowed', upload, status: undefined }
}

/** Where an upload stands, as the API shows it. */
export function describeUpload({ state, upload, status }: UploadProgress) {
  return {
    state,
    ...(upload && { size: upload.size, expires_at: upload.expiresAt }),
    ...(status && 'progress' in status && status.progress && { progress: status.progress }),
    ...(status?.state === 'done' && status.session_id !== undefined && { session_id: status.session_id }),
    ...(status?.state === 'failed' && { error: { ...status.error, status: HTTP_STATUS[status.error.code] } }),
  }
}

/**
 * Cancels an upload: its file is removed, and a request that receives or prepares it, on whatever machine, ends within
 * about a second.
 * @throws ServiceError `not-found`; `conflict` when the upload is finished
 */
export async function cancelUpload(
  dependencies: FollowDependencies & { readonly sessions: Pick<Sessions, 'settle'> },
  id: string,
): Promise<void> {
  const { uploads, store, clock, sessions } = dependencies
  const status = await readStatus(store, id, clock.unixTime())
  if (status && isFinal(status)) throw new UploadError(status.state === 'done' ? 'isPrepared' : 'isOver')
  await uploads.find(id)
  // The first sign of work comes a little after the claim.
  const claims = await readClaims(store, id, clock.unixTime())
  if ((status && isWorkedOn(status, clock.unixTime())) || (claims && !claims.isStale)) {
    const mark = new Uint8Array(1)
    await store.putBytes(uploadKeys(id).cancel, mark, { contentType: 'application/octet-stream' })
    return
  }
  const updated_at = Math.floor(clock.unixTime() / 1000)
  for (const mark of claims?.marks.filter(isId) ?? []) {
    // What its killed worker has stored goes, unless that was all of the session.
    if (!(await sessions.settle(mark))) continue
    await writeStatus(store, id, { state: 'done', session_id: mark, updated_at })
    await uploads.remove(id)
    throw new UploadError('isPrepared')
  }
  await writeStatus(store, id, { state: 'cancelled', updated_at })
  await uploads.remove(id)
}

function isWorkedOn({ state, updated_at }: UploadStatus, nowMs: number): boolean {
  return (state === 'receiving' || state === 'preparing') && nowMs / 1000 - updated_at < STALE_AFTER_SECONDS
}
