import { abortable } from '@lantern-room/base/async'
import type { Caller } from '@lantern-room/clients'
import { bytesOfParts } from '@lantern-room/mp4/source'
import { captureOf } from '../capture/readCapture'
import { FPS } from '../frames'
import type { MediaParts } from '../parts'
import { inFolder } from '../ports'
import type { OnProgress } from '../progress'
import type { Session } from '../sessions/session'
import type { Original } from '../sessions/storeSession'
import { UploadError } from '../uploads/uploadErrors'
import type { Watcher } from '../uploads/watchUpload'
import { type PrepareDependencies, preparePreview } from './preparePreview'
import { announcedBytes, type FormRequest, PHOTO_FIELD, receiveSource } from './receiveSource'
import { type LocalSource, type SourceDependencies, type SourceTask, withSource } from './sourceJob'
import { videoOf } from './videoOf'
import { checkWindow, requireRange, type Window } from './window'

/** `callbackUrl`: where the client wants to be told of the end. */
export type PrepareWish = { readonly window: Window; readonly callbackUrl: string | undefined }

/** `isRepeated` is for work that no request waits for. */
export type SessionCaller = Caller & Pick<Watcher, 'isRepeated'>

type CreateSessionDependencies = PrepareDependencies &
  SourceDependencies &
  Pick<
    MediaParts,
    | 'callbacks'
    | 'openFile'
    | 'sessions'
    | 'workFolders'
    | 'receiveForm'
    | 'quota'
    | 'quotas'
    | 'metrics'
    | 'stopping'
  >

/**
 * Makes a session of a video. When this resolves the session is stored as a whole; otherwise nothing of it is left.
 * @param onProgress is called for the first time when what can be refused at once has not been
 * @throws ServiceError as `preparePreview`; `not-found`, `conflict`, `unprocessable`, `too-busy`
 */
export async function createSession(
  dependencies: CreateSessionDependencies,
  { request, texts, readForm }: FormRequest<PrepareWish>,
  caller: SessionCaller,
  onProgress?: OnProgress,
): Promise<Session> {
  const { callbacks, jobs, quota, quotas, workFolders, sessions, stopping, limits, clock } = dependencies
  const signal = AbortSignal.any([caller.signal, stopping])
  let tell: (() => Promise<void>) | undefined
  // Refused before the upload is received, not after it.
  jobs.mustHaveRoom('prepare', caller.client)
  await quotas.check(caller.client, { seconds: 0, bytes: announcedBytes(request) })
  const receive = () =>
    inFolder(workFolders, async (folder) => {
      const { client, isRepeated } = caller
      const task = { folder, client, signal, onProgress, isRepeated }
      const form = { texts, others: PHOTO_FIELD }
      const { fields, source, fileName, pictures } = await receiveSource(dependencies, request, task, form)
      const { window, callbackUrl } = readForm(fields, pictures)
      const uploadId = 'uploadId' in source ? source.uploadId : undefined
      callbacks.check(callbackUrl, uploadId, caller.client)
      checkWindow(window, limits.maxInputSeconds)
      const startedAt = clock.unixTime()
      if (uploadId !== undefined && callbackUrl !== undefined) {
        const asked = { url: callbackUrl, uploadId, client: caller.client.name }
        const expected = await callbacks.expect(asked)
        tell = () => callbacks.tell(asked, signal, expected)
      }
      const made = withSource(dependencies, source, task, {
        part: partOf(window),
        make: (local, running) => makePreview(dependencies, local, running, { window, fileName, pictures }),
        settle: (id) => sessions.settle(id),
        async finish({ preview, original }, { size: uploadBytes }, running) {
          running.onProgress?.({ stage: 'storing' })
          const used = { seconds: preview.frames / FPS, bytes: uploadBytes }
          const session = await quotas.spend(caller.client, used, () =>
            sessions.create(preview, original, running.signal, running.sessionId, caller.client.name),
          )
          const { id: sessionId, durationMs: previewMs } = session
          const tookMs = clock.unixTime() - startedAt
          dependencies.metrics.prepared({
            sessionId,
            client: caller.client.name,
            previewMs,
            uploadBytes,
            tookMs,
          })
          return session
        },
      })
      return made.catch(async (error: unknown) => {
        const before =
          uploadId === undefined ? undefined : await madeBefore(dependencies, uploadId, window, error)
        if (before) return before
        throw error
      })
    })
  // After the folder is removed: a receiver may be slow.
  return quota.take(announcedBytes(request), receive).finally(() => tell?.())
}

/** @returns the session that an upload has become already, where that is why it is refused now */
export async function madeBefore(
  { uploads, sessions }: Pick<MediaParts, 'uploads' | 'sessions'>,
  uploadId: string,
  window: Window,
  refusal: unknown,
): Promise<Session | undefined> {
  if (!(refusal instanceof UploadError && refusal.refusal === 'unknown')) return undefined
  const sessionId = await uploads.sessionOf(uploadId, partOf(window))
  return sessionId === undefined ? undefined : sessions.find(sessionId).catch(() => undefined)
}

function partOf({ from, to }: Window): string {
  return `${from} ${to ?? 'end'}`
}

type ReceivedSource = Awaited<ReturnType<typeof receiveSource>>

/** Makes the preview of a received video, and finds what a session keeps of it. */
async function makePreview(
  dependencies: CreateSessionDependencies,
  local: LocalSource,
  { folder, signal, onProgress: report }: SourceTask,
  { window, fileName, pictures }: Pick<PrepareWish, 'window'> & Pick<ReceivedSource, 'fileName' | 'pictures'>,
) {
  report?.({ stage: 'reading' })
  const onProgress = (share: number) => report?.({ stage: 'preparing', share })
  const video = await videoOf(dependencies.openFile, { ...local, photo: pictures.photo }, { folder, signal })
  const preview = await preparePreview(dependencies, video, { folder, signal, window, onProgress })
  requireRange(window, preview.frames)
  // A video inside an upload is not an object of its own in the store.
  const isWhole = video.path === local.path && local.storedAs !== undefined
  const original: Original = isWhole ? { path: local.path, storedAs: local.storedAs } : { path: video.path }
  const capture = captureOf(preview.capture, video.clocks, { fileName, now: dependencies.clock.unixTime() })
  const { parts, source, seconds, lost } = video.still ?? {}
  const bytes = parts && source && abortable(bytesOfParts(parts, source), signal)
  const still = bytes && { seconds, lost, path: await folder.write('still', bytes) }
  return { preview: { ...preview, capture, still }, original }
}
