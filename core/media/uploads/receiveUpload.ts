import { ServiceError } from '#core/errors'
import type { MediaLimits } from '../config'
import { inFolder, type ReceiveBody, type WorkFolders } from '../ports'
import type { StorageQuota } from '../sessions/storageQuota'
import { BYTES_TYPE, mayBeSentAs, type Upload } from './upload'
import type { Uploads } from './uploads'

/**
 * Takes the file of an upload, where the store does not take it itself.
 * @throws ServiceError `not-found`, `unsupported-media`, `conflict`, `invalid-request`, `payload-too-large`, `unavailable`
 */
export async function receiveUpload(
  dependencies: {
    readonly uploads: Pick<Uploads, 'find' | 'mustBeEmpty' | 'put' | 'receive'>
    readonly workFolders: WorkFolders
    readonly receiveBody: ReceiveBody
    readonly quota: Pick<StorageQuota, 'take'>
    readonly limits: Pick<MediaLimits, 'uploadIdleSeconds'>
    readonly stopping: AbortSignal
  },
  id: string,
  request: Request,
  requestSignal: AbortSignal,
): Promise<void> {
  const { uploads, workFolders, receiveBody, quota, limits, stopping } = dependencies
  const upload = await uploads.find(id)
  if (!mayBeSentAs(request.headers.get('Content-Type') ?? '', upload)) throw otherType(upload)
  await uploads.mustBeEmpty(upload)
  await quota.take(upload.size)
  const signal = AbortSignal.any([requestSignal, stopping])
  await inFolder(workFolders, (folder) =>
    uploads.receive(upload, { signal }, async (watched) => {
      const path = await receiveBody(request, {
        folder,
        size: upload.size,
        idleMs: limits.uploadIdleSeconds * 1000,
        signal: watched.signal,
        onBytes: (receivedBytes) =>
          watched.onProgress({ stage: 'receiving', receivedBytes, totalBytes: upload.size }),
      })
      await uploads.put(upload, path)
    }),
  )
}

function otherType({ contentType }: Pick<Upload, 'contentType'>): ServiceError {
  return new ServiceError(
    'unsupported-media',
    `The Content-Type must be ${contentType}, as POST /uploads was told, or ${BYTES_TYPE}. Send the headers that it gave.`,
  )
}
