import { abortable } from '#core/async/onAbort'
import { bytesOfParts } from '#core/formats/source/fileParts'
import { captureOf } from '../capture/readCapture'
import type { Caller } from '../client'
import type { MediaParts } from '../parts'
import { inFolder } from '../ports'
import type { OnProgress } from '../progress'
import type { Session } from '../sessions/session'
import type { Original } from '../sessions/storeSession'
import { type PrepareDependencies, preparePreview } from './preparePreview'
import { announcedBytes, type FileRequest, PHOTO_FIELD, receiveSource } from './receiveSource'
import { type SourceDependencies, withSource } from './sourceJob'
import { videoOf } from './videoOf'
import { checkWindow, type Window } from './window'

export type PrepareRequest = FileRequest & {
  /** Reads what the request's fields ask for. @throws ServiceError `unprocessable` */
  readonly readWish: (fields: ReadonlyMap<string, string>) => PrepareWish
}

/** `callbackUrl`: where the client wants to be told of the end. */
export type PrepareWish = { readonly window: Window; readonly callbackUrl: string | undefined }

type CreateSessionDependencies = PrepareDependencies &
  SourceDependencies &
  Pick<
    MediaParts,
    'callbacks' | 'openFile' | 'sessions' | 'workFolders' | 'receiveForm' | 'quota' | 'metrics' | 'stopping'
  >

/**
 * Makes a session of a video. When this resolves the session is stored as a whole; otherwise nothing of it is left.
 * @param onProgress is called for the first time when what can be refused at once has not been
 * @throws ServiceError as `preparePreview`; `not-found`, `conflict`, `unprocessable`, `too-busy`
 */
export async function createSession(
  dependencies: CreateSessionDependencies,
  { request, texts, readWish }: PrepareRequest,
  caller: Caller,
  onProgress?: OnProgress,
): Promise<Session> {
  const { callbacks, openFile, jobs, quota, workFolders, stopping, limits, clock } = dependencies
  const signal = AbortSignal.any([caller.signal, stopping])
  let tell: (() => Promise<void>) | undefined
  const work = inFolder(workFolders, async (folder) => {
    // Refused before the upload is received, not after it.
    jobs.mustHaveRoom('prepare', caller.client)
    await quota.take(announcedBytes(request))
    const task = { folder, client: caller.client, signal, onProgress }
    const form = { texts, others: PHOTO_FIELD }
    const { fields, source, fileName, pictures } = await receiveSource(dependencies, request, task, form)
    const { window, callbackUrl } = readWish(fields)
    const uploadId = 'uploadId' in source ? source.uploadId : undefined
    callbacks.check(callbackUrl, uploadId)
    checkWindow(window, limits.maxInputSeconds)
    const startedAt = clock.unixTime()
    if (uploadId !== undefined && callbackUrl !== undefined)
      tell = () => callbacks.tell(callbackUrl, uploadId, signal)
    return withSource(dependencies, source, task, {
      async make(local, { onProgress: report, ...running }) {
        report?.({ stage: 'reading' })
        const onShare = (share: number) => report?.({ stage: 'preparing', share })
        const { photo } = pictures
        const video = await videoOf(openFile, { ...local, photo }, running)
        const preview = await preparePreview(dependencies, video, { ...running, window, onProgress: onShare })
        // A video inside an upload is not an object of its own in the store.
        const isWhole = video.path === local.path && local.storedAs !== undefined
        const original: Original = isWhole
          ? { path: local.path, storedAs: local.storedAs }
          : { path: video.path }
        const capture = captureOf(preview.capture, video, fileName)
        const { parts, source, seconds } = video.still ?? {}
        const bytes = parts && source && abortable(bytesOfParts(parts, source), running.signal)
        const still = bytes && { seconds, path: await folder.write('still', bytes) }
        return { preview: { ...preview, capture, still }, original }
      },
      settle: (id) => dependencies.sessions.settle(id),
      async finish({ preview, original }, { size }, running) {
        running.onProgress?.({ stage: 'storing' })
        const { sessionId } = running
        const session = await dependencies.sessions.create(preview, original, running.signal, sessionId)
        dependencies.metrics.prepared({
          sessionId: session.id,
          previewMs: session.durationMs,
          uploadBytes: size,
          tookMs: clock.unixTime() - startedAt,
        })
        return session
      },
    })
  })
  // After the folder is removed: a receiver may be slow.
  return work.finally(() => tell?.())
}
