import type { Caller } from '@lantern-room/clients'
import { FPS } from '#media/frames'
import type { MediaParts } from '#media/parts'
import { inFolder } from '#media/ports'
import { type PrepareDependencies, preparePreview } from '#media/preview/preparePreview'
import {
  announcedBytes,
  type FormRequest,
  PHOTO_FIELD,
  PICTURE_FIELDS,
  receiveSource,
} from '#media/preview/receiveSource'
import { type SourceDependencies, withSource } from '#media/preview/sourceJob'
import { type ConvertDependencies, convertClip } from './convertClip'
import type { ConvertedPhoto } from './convertSession'
import { sizeOfFiles } from './outputFiles'
import { type PhotoRequest, type PhotoTools, photoOfFile } from './photoOfFile'
import { checkPhotoRange } from './photoRange'

type CreateMotionPhotoDependencies = PrepareDependencies &
  ConvertDependencies &
  SourceDependencies &
  Pick<MediaParts, 'openFile' | 'workFolders' | 'receiveForm' | 'quota' | 'quotas' | 'metrics' | 'stopping'>

/**
 * Makes a motion photo of a video in one go. Nothing is stored; an upload is used up.
 * @throws ServiceError as `preparePreview` and `convertClip`; `not-found`, `conflict`, `unprocessable`, `out-of-range`,
 *   `too-busy`
 */
export async function createMotionPhoto(
  dependencies: CreateMotionPhotoDependencies,
  { request, texts, readForm }: FormRequest<PhotoRequest>,
  caller: Caller,
): Promise<ConvertedPhoto> {
  const { openFile, jobs, quota, quotas, workFolders, stopping, limits, clock, metrics } = dependencies
  const signal = AbortSignal.any([caller.signal, stopping])
  return inFolder(workFolders, async (folder) => {
    // Refused before the upload is received, not after it.
    jobs.mustHaveRoom('prepare', caller.client)
    await quota.check(announcedBytes(request))
    await quotas.check(caller.client, { photos: 1, seconds: 0, bytes: announcedBytes(request) })
    const task = { folder, client: caller.client, signal }
    const { fields, source, fileName, pictures } = await receiveSource(dependencies, request, task, {
      texts,
      others: { ...PICTURE_FIELDS, names: [...PICTURE_FIELDS.names, ...PHOTO_FIELD.names] },
    })
    const wanted = readForm(fields, pictures)
    checkPhotoRange(wanted, limits)
    const tools: PhotoTools = {
      openFile,
      preparePreview: (...step) => preparePreview(dependencies, ...step),
      convertClip: (...step) => convertClip(dependencies, ...step),
    }
    const startedAt = clock.unixTime()
    return withSource(dependencies, source, task, {
      async make(local, running) {
        const { folder, signal } = running
        const steps = { folder, signal, circumstances: { now: clock.unixTime() } }
        const upload = { ...local, name: fileName, photo: pictures.photo }
        return photoOfFile(tools, upload, wanted, limits, steps)
      },
      async finish(made, { size: bytes }) {
        const used = { photos: 1, seconds: made.plan.sourceFrames / FPS, bytes }
        await quotas.spend(caller.client, used, async () => undefined)
        const tookMs = clock.unixTime() - startedAt
        metrics.converted({
          sessionId: undefined,
          client: caller.client.name,
          photoBytes: sizeOfFiles(made.files),
          tookMs,
        })
        return made
      },
    })
  })
}
