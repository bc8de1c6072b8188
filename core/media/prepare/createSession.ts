import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import { type Caller, uploadLimitOf } from '../client'
import type { MediaLimits } from '../config'
import type { JobQueue } from '../jobs/jobQueue'
import type { Metrics, ObjectStore, ReceiveForm, WorkFolder, WorkFolders } from '../ports'
import type { Session } from '../session'
import type { Sessions } from '../sessions'
import type { StorageQuota } from '../storageQuota'
import type { SourceKind } from '../traits'
import type { Uploads } from '../uploads/uploads'
import { type PrepareDependencies, preparePreview } from './preparePreview'
import { createSniffer, sourceKind } from './source'

/** Where the video comes from: a form that holds it or names an upload, or an upload by its name. */
export type PrepareRequest = { readonly form: Request } | { readonly uploadId: string }

export type CreateSessionDependencies = PrepareDependencies & {
  readonly store: ObjectStore
  readonly sessions: Pick<Sessions, 'create'>
  readonly uploads: Pick<Uploads, 'use'>
  readonly workFolders: WorkFolders
  readonly receiveForm: ReceiveForm
  readonly jobs: JobQueue
  readonly quota: Pick<StorageQuota, 'take'>
  readonly limits: Pick<MediaLimits, 'maxUploadBytes' | 'uploadIdleSeconds'>
  readonly clock: Pick<Clock, 'unixTime'>
  readonly metrics: Pick<Metrics, 'prepared'>
  /** Aborts when the host stops. */
  readonly stopping: AbortSignal
}

type Task = Caller & { readonly folder: WorkFolder }
type ReceivedFile = { readonly path: string; readonly size: number; readonly kind: SourceKind }

const HEAD_BYTES = 4096

/**
 * Makes a session of a video. When this resolves the session is stored as a whole; otherwise nothing of it is left.
 * @throws ServiceError as `preparePreview`; `not-found`, `conflict`, `unprocessable`, `too-busy`
 */
export async function createSession(
  dependencies: CreateSessionDependencies,
  request: PrepareRequest,
  { client, signal: requestSignal }: Caller,
): Promise<Session> {
  const signal = AbortSignal.any([requestSignal, dependencies.stopping])
  const folder = await dependencies.workFolders.open()
  try {
    // Refused before the upload is received, not after it.
    dependencies.jobs.mustHaveRoom('prepare', client)
    await dependencies.quota.take('form' in request ? announcedBytes(request.form) : 0)
    const task = { folder, client, signal }
    const source =
      'form' in request ? await receiveSource(dependencies, request.form, task) : request.uploadId
    return typeof source === 'string'
      ? await fromUpload(dependencies, source, task)
      : await fromFile(dependencies, source, task)
  } finally {
    await folder.dispose()
  }
}

/** @returns 0 when the length is not announced */
function announcedBytes({ headers }: Request): number {
  return Number(headers.get('Content-Length') ?? 0)
}

/** @returns the file that the form holds, or the id of the upload that it names */
async function receiveSource(
  { receiveForm, limits }: CreateSessionDependencies,
  form: Request,
  task: Task,
): Promise<ReceivedFile | string> {
  const { checkHead, kind } = createSniffer()
  const { fields, file } = await receiveForm(form, {
    ...task,
    maxFileBytes: uploadLimitOf(task.client, limits.maxUploadBytes),
    idleMs: limits.uploadIdleSeconds * 1000,
    checkHead,
  })
  // A page's form sends empty what was not filled in.
  const uploadId = fields.get('upload_id') || undefined
  if (uploadId !== undefined && file?.size) {
    throw new ServiceError('invalid-request', 'Send the field "file" or the field "upload_id", not both.')
  }
  if (uploadId !== undefined) return uploadId
  if (file) return { ...file, kind: kind() }
  throw new ServiceError(
    'unprocessable',
    'file is missing: send the video as the form field "file", or name an upload in the field "upload_id".',
  )
}

async function fromFile(
  dependencies: CreateSessionDependencies,
  source: ReceivedFile,
  task: Task,
): Promise<Session> {
  const { jobs, sessions, clock } = dependencies
  const startedAt = clock.unixTime()
  const preview = await jobs.run({ ...task, kind: 'prepare' }, () =>
    preparePreview(dependencies, source, task),
  )
  const session = await sessions.create(preview, { path: source.path }, task.signal)
  measure(dependencies, session, source.size, startedAt)
  return session
}

function fromUpload(dependencies: CreateSessionDependencies, uploadId: string, task: Task): Promise<Session> {
  const { jobs, store, uploads, clock } = dependencies
  return uploads.use(uploadId, async ({ size }, key) => {
    const startedAt = clock.unixTime()
    const kind = sourceKind(await readHead(store, key, size))
    // Checked out only when its turn has come: what waits takes no space on this machine.
    const session = await jobs.run({ ...task, kind: 'prepare' }, () =>
      fromObject(dependencies, { key, kind }, task),
    )
    measure(dependencies, session, size, startedAt)
    return session
  })
}

async function fromObject(
  dependencies: CreateSessionDependencies,
  { key, kind }: { readonly key: string; readonly kind: SourceKind },
  task: Task,
): Promise<Session> {
  const file = await dependencies.store.checkOut(key)
  if (!file) throw uploadGone()
  try {
    const preview = await preparePreview(dependencies, { path: file.path, kind }, task)
    return await dependencies.sessions.create(preview, { path: file.path, storedAs: key }, task.signal)
  } finally {
    await file.release()
  }
}

async function readHead(store: ObjectStore, key: string, size: number): Promise<Uint8Array> {
  const opened = await store.open(key, { start: 0, end: Math.min(HEAD_BYTES, size) - 1 })
  if (!opened) throw uploadGone()
  return new Uint8Array(await new Response(opened.body).arrayBuffer())
}

function measure(
  { metrics, clock }: CreateSessionDependencies,
  session: Session,
  uploadBytes: number,
  startedAt: number,
): void {
  metrics.prepared({
    sessionId: session.id,
    previewMs: session.durationMs,
    uploadBytes,
    tookMs: clock.unixTime() - startedAt,
  })
}

function uploadGone(): ServiceError {
  return new ServiceError('not-found', 'The upload has expired just now. Upload the file again.')
}
