import { ServiceError } from '@lantern-room/base'
import { type Caller, uploadLimitOf } from '@lantern-room/clients'
import type { MediaParts } from '../parts'
import type { ReceivedForm, WorkFolder } from '../ports'
import type { OnProgress } from '../progress'
import { MAX_PICTURE_BYTES } from '../traits'
import { hasSmallFields, readSmallFields } from '../uploads/smallFields'
import type { Watcher } from '../uploads/watchUpload'
import { createSniffer, type UploadKind } from './sniff'

export type ReceivedFile = { readonly path: string; readonly size: number; readonly kind: UploadKind }

/** A request with a file in a form, or the name of an upload in a form or JSON. */
export type FileRequest = {
  readonly request: Request
  /** The fields of the form that are text. */
  readonly texts: readonly string[]
}

/** Such a request for what its fields and pictures say. */
export type FormRequest<Wanted> = FileRequest & {
  /** @throws ServiceError `unprocessable` */
  readonly readForm: (fields: ReadonlyMap<string, string>, pictures: SentPictures) => Wanted
}

export type ReceiveTask = Caller &
  Pick<Watcher, 'isRepeated'> & {
    readonly folder: WorkFolder
    readonly onProgress?: OnProgress | undefined
  }

type Form = Pick<FileRequest, 'texts'> & {
  /** Further files that the form may hold. */
  readonly others?: Parameters<MediaParts['receiveForm']>[1]['others'] | undefined
}

/**
 * Reads a request that holds a video in a form, or names an upload in a form or JSON.
 * @returns `fileName`: the video's, as the client gave it
 * @throws ServiceError as `receiveFile`
 */
export async function receiveSource(
  parts: Pick<MediaParts, 'receiveForm' | 'limits'>,
  request: Request,
  task: ReceiveTask,
  form: Form,
) {
  const { checkHead, kind } = createSniffer()
  const received = await receiveFile(parts, request, task, { ...form, checkHead, what: 'video' })
  const { fields, file, uploadId, pictures } = received
  const source: ReceivedFile | { readonly uploadId: string } = file ? { ...file, kind: kind() } : { uploadId }
  // Of a long name, the end says what it is.
  const fileName = (fields.get('file_name') || file?.name)?.slice(-1000)
  return { fields, source, fileName, pictures }
}

type FileForm = Form & {
  readonly checkHead: (head: Uint8Array) => void
  readonly checkFields?: (fields: ReadonlyMap<string, string>) => void
  readonly what: 'video' | 'photo'
}

/**
 * Reads the fields of a request, and its file unless it names an upload.
 * @throws ServiceError `invalid-request`, `payload-too-large`, `unsupported-media`, `unprocessable`; what the checks throw
 */
export async function receiveFile(
  { receiveForm, limits }: Pick<MediaParts, 'receiveForm' | 'limits'>,
  request: Request,
  { client, folder, signal, onProgress }: ReceiveTask,
  { texts, others, checkHead, checkFields, what }: FileForm,
) {
  if (hasSmallFields(request)) {
    const fields = await readSmallFields(request)
    checkFields?.(fields)
    return { fields, uploadId: fields.get('upload_id') ?? '', pictures: NO_PICTURES }
  }
  const received = await receiveForm(request, {
    texts,
    ...(others && { others }),
    folder,
    signal,
    maxFileBytes: uploadLimitOf(client, limits.maxUploadBytes),
    idleMs: limits.uploadIdleSeconds * 1000,
    checkHead,
    onFileBytes: (receivedBytes) =>
      onProgress?.({ stage: 'receiving', receivedBytes, totalBytes: announcedBytes(request) || undefined }),
  })
  const { fields, file } = received
  checkFields?.(fields)
  const pictures = await readSentPictures(received, folder)
  // A page's form sends empty what was not filled in.
  const uploadId = fields.get('upload_id') || undefined
  if (uploadId !== undefined && file?.size) {
    throw new ServiceError('invalid-request', 'Send the field "file" or the field "upload_id", not both.')
  }
  if (uploadId !== undefined) return { fields, uploadId, pictures }
  if (file) return { fields, file, pictures }
  throw new ServiceError(
    'unprocessable',
    `file is missing: send the ${what} as the form field "file", or name an upload in the field "upload_id".`,
  )
}

/** @returns 0 when the length of the body is not announced, or the body holds no file */
export function announcedBytes(request: Request): number {
  return hasSmallFields(request) ? 0 : Number(request.headers.get('Content-Length') ?? 0)
}

/** Pictures that a form may hold beside its video, as a whole and in memory. */
export type SentPictures = Awaited<ReturnType<typeof readSentPictures>>

/** For `ReceiveForm`. */
export const PICTURE_FIELDS = {
  names: ['cover_file'],
  maxBytes: MAX_PICTURE_BYTES,
  spareBytes: MAX_PICTURE_BYTES,
}

/** A photo and its video together are no longer than a video may be. */
export const PHOTO_FIELD = { names: ['photo'], maxBytes: MAX_PICTURE_BYTES, spareBytes: 0 }

export const NO_PICTURES: SentPictures = { coverFile: undefined, photo: undefined }

export async function readSentPictures(
  { others }: Pick<ReceivedForm, 'others'>,
  folder: Pick<WorkFolder, 'read' | 'path'>,
) {
  const read = async (field: string) => {
    const name = others?.get(field)
    return name === undefined ? undefined : folder.read(name)
  }
  const photo = others?.get('photo')
  return {
    /** The path of a photo that belongs to the video. */
    photo: photo && folder.path(photo),
    /** Instead of a picture of the video. */
    coverFile: await read('cover_file'),
  }
}
