import { ServiceError } from '#core/errors'
import { type Client, uploadLimitOf } from '../client'
import type { ObjectStore } from '../objectStore/ports'
import type { StorageQuota } from '../sessions/storageQuota'
import { UPLOAD_TTL_SECONDS, type Upload, uploadKeys } from './upload'
import type { Uploads } from './uploads'

export type AllowedUpload = {
  readonly upload: Upload
  /** Where the client sends the file when the store takes it itself; otherwise the file goes through the app. */
  readonly put: { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined
}

/**
 * Allows a file to be sent apart from the request that prepares it.
 * @throws ServiceError `payload-too-large`, `unavailable`
 */
export async function allowUpload(
  dependencies: {
    readonly uploads: Pick<Uploads, 'create'>
    readonly store: Pick<ObjectStore, 'presignPut'>
    readonly quota: Pick<StorageQuota, 'check'>
    readonly limits: { readonly maxUploadBytes: number }
  },
  { size, contentType }: Pick<Upload, 'size' | 'contentType'>,
  client: Client,
): Promise<AllowedUpload> {
  const { uploads, store, quota, limits } = dependencies
  const maxBytes = uploadLimitOf(client, limits.maxUploadBytes)
  if (size > maxBytes) throw tooLarge(maxBytes)
  await quota.check(size)
  const upload = await uploads.create({ size, contentType })
  const put = await store.presignPut?.(uploadKeys(upload.id).file, {
    size,
    contentType,
    expiresInSeconds: UPLOAD_TTL_SECONDS,
  })
  return { upload, put }
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'payload-too-large',
    `The file is larger than ${maxBytes} bytes, the most that this service takes. Send a shorter or smaller one.`,
  )
}
