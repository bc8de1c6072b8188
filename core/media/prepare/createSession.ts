import { ServiceError } from '#core/errors'
import { type JobSlots, tooBusy } from '../jobSlots'
import type { Metrics, ObjectStore, ReceiveForm, WorkFolder } from '../ports'
import type { Session } from '../session'
import type { Sessions } from '../sessions'
import type { Uploads } from '../uploads/uploads'
import type { Preparing } from './preparePreview'
import { createSniffer, type SourceKind, sourceKind } from './source'

/** Where the video comes from: a form that holds it or names an upload, or an upload by its name. */
export type PrepareOrder = { readonly form: Request } | { readonly uploadId: string }

export type SessionMaking = (
  order: PrepareOrder,
  task: { readonly folder: WorkFolder; readonly signal: AbortSignal },
) => Promise<Session>

export type SessionMakingDependencies = {
  readonly store: ObjectStore
  readonly sessions: Sessions
  readonly uploads: Uploads
  readonly receiveForm: ReceiveForm
  readonly preparing: Preparing
  readonly jobs: JobSlots
  readonly maxUploadBytes: number
  readonly metrics: Metrics
  readonly now: () => number
}

type Task = Parameters<SessionMaking>[1]
type ReceivedFile = { readonly path: string; readonly size: number; readonly kind: SourceKind }

const HEAD_BYTES = 4096

/** Makes a session of a video, wherever it comes from: it is there whole when this resolves, or not at all. */
export function createSessionMaking(dependencies: SessionMakingDependencies): SessionMaking {
  const { store, sessions, uploads, preparing, jobs, metrics, now } = dependencies

  return async (order, task) => {
    // Told before the upload, not after it.
    if (jobs.isFull()) throw tooBusy()
    const source = 'form' in order ? await receive(order.form, task) : order.uploadId
    return typeof source === 'string' ? ofUpload(source, task) : ofFile(source, task)
  }

  async function receive(form: Request, task: Task): Promise<ReceivedFile | string> {
    const { checkHead, kind } = createSniffer()
    const { fields, file } = await dependencies.receiveForm(form, {
      ...task,
      maxFileBytes: dependencies.maxUploadBytes,
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

  async function ofFile(source: ReceivedFile, task: Task): Promise<Session> {
    const startedAt = now()
    const preview = await jobs.run(task.signal, () => preparing(source, task))
    const session = await sessions.create(preview, { path: source.path }, task.signal)
    return measured(session, source.size, startedAt)
  }

  function ofUpload(uploadId: string, task: Task): Promise<Session> {
    return uploads.use(uploadId, async ({ size }, key) => {
      const startedAt = now()
      const kind = sourceKind(await headOf(key, size))
      // Not before its turn: what waits takes no room on this machine.
      const session = await jobs.run(task.signal, () => ofObject(key, kind, task))
      return measured(session, size, startedAt)
    })
  }

  async function ofObject(key: string, kind: SourceKind, task: Task): Promise<Session> {
    const file = await store.checkOut(key)
    if (!file) throw goneMeanwhile()
    try {
      const preview = await preparing({ path: file.path, kind }, task)
      return await sessions.create(preview, { path: file.path, storedAs: key }, task.signal)
    } finally {
      await file.release()
    }
  }

  async function headOf(key: string, size: number): Promise<Uint8Array> {
    const opened = await store.open(key, { start: 0, end: Math.min(HEAD_BYTES, size) - 1 })
    if (!opened) throw goneMeanwhile()
    return new Uint8Array(await new Response(opened.body).arrayBuffer())
  }

  function measured(session: Session, uploadBytes: number, startedAt: number): Session {
    metrics.prepared({
      sessionId: session.id,
      previewMs: session.durationMs,
      uploadBytes,
      tookMs: now() - startedAt,
    })
    return session
  }
}

function goneMeanwhile(): ServiceError {
  return new ServiceError('not-found', 'The upload has expired just now. Upload the file again.')
}
