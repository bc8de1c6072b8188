import { ServiceError } from '@lantern-room/base'
import { type Client, uploadLimitOf } from '@lantern-room/clients'
import { inFolder } from '../ports'
import { BYTES_TYPE, mayBeSentAs, UPLOAD_TTL_SECONDS, type Upload, uploadKeys } from './upload'
import type { UploadParts } from './uploads'

export type AllowedUpload = Awaited<ReturnType<typeof allowUpload>>

/**
 * Allows a file to be sent apart from the request that prepares it.
 * @throws ServiceError `payload-too-large`, `quota-exceeded`, `unavailable`
 */
export async function allowUpload(
  parts: Pick<UploadParts, 'uploads' | 'store' | 'quota' | 'quotas' | 'limits'>,
  { size, contentType }: Pick<Upload, 'size' | 'contentType'>,
  client: Client,
) {
  const { uploads, store, quota, quotas, limits } = parts
  const maxBytes = uploadLimitOf(client, limits.maxUploadBytes)
  if (size > maxBytes)
    throw new ServiceError(
      'payload-too-large',
      `The file is larger than ${maxBytes} bytes, the most that this service takes. Send a shorter or smaller one.`,
    )
  await quota.check(size)
  await quotas.check(client, { bytes: size })
  const upload = await uploads.create({ size, contentType })
  // Where the client sends the file when the store takes it itself; otherwise the file goes through the app.
  const put = await store.presignPut?.(uploadKeys(upload.id).file, {
    size,
    contentType,
    expiresInSeconds: UPLOAD_TTL_SECONDS,
  })
  return { upload, put }
}

/**
 * Takes the file of an upload, where the store does not take it itself.
 * @throws ServiceError `not-found`, `unsupported-media`, `conflict`, `invalid-request`, `payload-too-large`, `unavailable`
 */
export async function receiveUpload(
  dependencies: Pick<
    UploadParts,
    'uploads' | 'workFolders' | 'receiveBody' | 'quota' | 'limits' | 'stopping'
  >,
  id: string,
  request: Request,
  requestSignal: AbortSignal,
): Promise<void> {
  const { uploads, workFolders, receiveBody, quota, limits, stopping } = dependencies
  const upload = await uploads.find(id)
  if (!mayBeSentAs(request.headers.get('Content-Type') ?? '', upload)) {
    throw new ServiceError(
      'unsupported-media',
      `The Content-Type must be ${upload.contentType}, as POST /uploads was told, or ${BYTES_TYPE}. Send the headers that it gave.`,
    )
  }
  await uploads.mustBeEmpty(upload)
  const signal = AbortSignal.any([requestSignal, stopping])
  const receive = () =>
    inFolder(workFolders, (folder) =>
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
  await quota.take(upload.size, receive)
}
