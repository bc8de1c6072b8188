import { ServiceError } from '@lantern-room/base'
import { refuseMisspelt } from '@lantern-room/base/fields'
import type { Caller } from '@lantern-room/clients'
import { checkInspectedHead, openUnpacked } from '@lantern-room/formats/files'
import type { ByteSource } from '@lantern-room/mp4/source'
import { refusals, refusing } from '#media/formatRefusal'
import type { MediaParts } from '#media/parts'
import { announcedBytes, type FileRequest, receiveFile } from '#media/preview/receiveSource'
import { openObjectSource } from '#media/sessions/objectSource'
import { hasSmallFields } from '#media/uploads/smallFields'
import { uploadKeys } from '#media/uploads/upload'
import { otherSize } from '#media/uploads/uploadErrors'

export type OpenPhotoDependencies = Pick<
  MediaParts,
  'store' | 'uploads' | 'workFolders' | 'receiveForm' | 'openFile' | 'quota' | 'limits' | 'stopping'
>

export type ReceivedPhoto = Awaited<ReturnType<typeof openPhoto>>

/**
 * Takes a photo from a form, into a file, or finds the upload that a request names. An upload is only read: it is not used
 * up.
 * @returns `close`: removes the photo from this machine; an upload stays. `caller`: whose signal also aborts when the host stops
 * @throws ServiceError `invalid-request`, `not-found`, `conflict`, `payload-too-large`, `unsupported-media`, `unprocessable`,
 *   `unavailable` when there is no space for it
 */
export async function openPhoto(
  dependencies: OpenPhotoDependencies,
  { request, texts }: FileRequest,
  { client, signal }: Caller,
) {
  const { workFolders, quota, openFile, stopping } = dependencies
  const caller: Caller = { client, signal: AbortSignal.any([signal, stopping]) }
  const folder = await workFolders.open()
  try {
    if (!hasSmallFields(request)) await quota.check(announcedBytes(request))
    const received = await receiveFile(
      dependencies,
      request,
      { client, signal: caller.signal, folder },
      {
        texts,
        checkHead: (head) => refusing(() => checkInspectedHead(head)),
        checkFields: (fields) => refuseMisspelt(fields, texts),
        what: 'photo',
      },
    )
    const { fields, file, uploadId } = received
    const photo = file ? await openFile(file.path) : await openUpload(dependencies, uploadId)
    const source = await refusals(openUnpacked(photo, caller.signal))
    return { source, fields, folder, caller, close: () => folder.dispose() }
  } catch (error) {
    await folder.dispose()
    throw error
  }
}

async function openUpload({ uploads, store }: OpenPhotoDependencies, id: string): Promise<ByteSource> {
  const { size } = await uploads.find(id)
  const source = await openObjectSource(store, uploadKeys(id).file)
  if (!source) {
    // Whoever used the upload up meanwhile has removed its record together with its file.
    await uploads.find(id)
    throw new ServiceError(
      'conflict',
      'The file of this upload has not arrived. Send it to the url that POST /uploads gave.',
    )
  }
  if (source.size !== size) throw otherSize(size)
  return source
}
