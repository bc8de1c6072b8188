import { ServiceError } from '#core/errors'
import { checkInspectedHead } from '#core/formats/livePhoto/inspectLivePhoto'
import { openUnpacked } from '#core/formats/livePhoto/unpackZip'
import type { ByteSource } from '#core/formats/source/byteSource'
import { refuseMisspelt } from '#core/formFields'
import { type Caller, uploadLimitOf } from '../client'
import type { MediaParts } from '../parts'
import type { WorkFolder } from '../ports'
import { announcedBytes, type PICTURE_FIELDS, readSentPictures } from '../prepare/receiveSource'
import { openObjectSource } from '../sessions/objectSource'
import { hasSmallFields, readSmallFields } from '../uploads/smallFields'
import { uploadKeys } from '../uploads/upload'
import { otherSize } from '../uploads/uploadErrors'

export type OpenPhotoDependencies = Pick<
  MediaParts,
  'store' | 'uploads' | 'workFolders' | 'receiveForm' | 'openFile' | 'quota' | 'limits'
>

/** A photo that a client has sent. */
export type ReceivedPhoto = {
  readonly source: ByteSource
  /** The other fields of the request. */
  readonly fields: ReadonlyMap<string, string>
  /** For temporary files. */
  readonly folder: WorkFolder
  /** Another photo that was sent with it, where that is allowed. */
  readonly donor: Uint8Array | undefined
  /** Removes the photo from this machine; an upload stays. */
  close(): Promise<void>
}

/** A request with a photo. */
export type OpenPhotoRequest = {
  readonly request: Request
  /** The fields of its form that are text. */
  readonly texts: readonly string[]
}

/**
 * Takes a photo from a form, into a file, or finds the upload that a request names. An upload is only read: it is not used
 * up.
 * @param others further files that the form may hold
 * @throws ServiceError `invalid-request`, `not-found`, `conflict`, `payload-too-large`, `unsupported-media`, `unprocessable`,
 *   `unavailable` when there is no space for it
 */
export async function openPhoto(
  dependencies: OpenPhotoDependencies,
  { request, texts }: OpenPhotoRequest,
  caller: Caller,
  others?: typeof PICTURE_FIELDS,
): Promise<ReceivedPhoto> {
  const folder = await dependencies.workFolders.open()
  try {
    const { fields, source, donor } = hasSmallFields(request)
      ? { fields: await readSmallFields(request), source: undefined, donor: undefined }
      : await receivePhoto(dependencies, request, { folder, caller, texts, others })
    refuseMisspelt(fields.keys(), texts)
    const uploadId = fields.get('upload_id') || undefined
    if (source && uploadId !== undefined) {
      throw new ServiceError('invalid-request', 'Send the field "file" or the field "upload_id", not both.')
    }
    const photo = source ?? (uploadId === undefined ? undefined : await openUpload(dependencies, uploadId))
    if (!photo) throw noPhoto()
    const unpacked = await openUnpacked(photo, caller.signal)
    return { source: unpacked, fields, folder, donor, close: () => folder.dispose() }
  } catch (error) {
    await folder.dispose()
    throw error
  }
}

type Task = {
  readonly folder: WorkFolder
  readonly caller: Caller
  readonly texts: readonly string[]
  readonly others: typeof PICTURE_FIELDS | undefined
}

async function receivePhoto(
  { receiveForm, openFile, quota, limits }: OpenPhotoDependencies,
  request: Request,
  { folder, caller, texts, others }: Task,
): Promise<{
  fields: ReadonlyMap<string, string>
  source: ByteSource | undefined
  donor: Uint8Array | undefined
}> {
  await quota.check(announcedBytes(request))
  const form = await receiveForm(request, {
    folder,
    texts,
    ...(others && { others }),
    maxFileBytes: uploadLimitOf(caller.client, limits.maxUploadBytes),
    idleMs: limits.uploadIdleSeconds * 1000,
    checkHead: checkInspectedHead,
    signal: caller.signal,
  })
  const { fields, file } = form
  const { donor } = await readSentPictures(form, folder)
  return { fields, source: file && (await openFile(file.path)), donor }
}

async function openUpload({ uploads, store }: OpenPhotoDependencies, id: string): Promise<ByteSource> {
  const { size } = await uploads.find(id)
  const source = await openObjectSource(store, uploadKeys(id).file)
  if (!source) {
    throw new ServiceError(
      'conflict',
      'The file of this upload has not arrived. Send it to the url that POST /uploads gave.',
    )
  }
  if (source.size !== size) throw otherSize(size)
  return source
}

function noPhoto(): ServiceError {
  return new ServiceError(
    'unprocessable',
    'file is missing: send the photo as the form field "file", or name an upload in the field "upload_id".',
  )
}
