import { ServiceError } from '#core/errors'
import { type Client, uploadLimitOf } from '../client'
import type { MediaParts } from '../parts'
import type { ReceivedForm, WorkFolder } from '../ports'
import type { OnProgress } from '../progress'
import { MAX_PICTURE_BYTES } from '../traits'
import { hasSmallFields, readSmallFields } from '../uploads/smallFields'
import { createSniffer, type UploadKind } from './sniff'

export type ReceivedFile = { readonly path: string; readonly size: number; readonly kind: UploadKind }

/** A request's fields, and its file or the upload that it names. */
export type Received = {
  readonly fields: ReadonlyMap<string, string>
  readonly source: ReceivedFile | { readonly uploadId: string }
  /** Of the video, as the client gave it. */
  readonly fileName: string | undefined
  readonly pictures: SentPictures
}

/**
 * Reads a request that holds a video in a form, or names an upload in a form or JSON.
 * @param form.texts fields that are text
 * @param form.others further files that the form may hold
 * @throws ServiceError `invalid-request`, `payload-too-large`, `unsupported-media`, `unprocessable`
 */
export async function receiveSource(
  { receiveForm, limits }: Pick<MediaParts, 'receiveForm' | 'limits'>,
  request: Request,
  task: {
    readonly client: Client
    readonly folder: WorkFolder
    readonly signal: AbortSignal
    readonly onProgress?: OnProgress | undefined
  },
  form: { readonly texts: readonly string[]; readonly others?: typeof PICTURE_FIELDS },
): Promise<Received> {
  if (hasSmallFields(request)) return named(await readSmallFields(request), NO_PICTURES)
  const { checkHead, kind } = createSniffer()
  const received = await receiveForm(request, {
    ...form,
    folder: task.folder,
    signal: task.signal,
    maxFileBytes: uploadLimitOf(task.client, limits.maxUploadBytes),
    idleMs: limits.uploadIdleSeconds * 1000,
    checkHead,
    onFileBytes: (receivedBytes) =>
      task.onProgress?.({
        stage: 'receiving',
        receivedBytes,
        totalBytes: announcedBytes(request) || undefined,
      }),
  })
  const { fields, file } = received
  const pictures = await readSentPictures(received, task.folder)
  // A page's form sends empty what was not filled in.
  const isNamed = Boolean(fields.get('upload_id'))
  if (isNamed && file?.size) {
    throw new ServiceError('invalid-request', 'Send the field "file" or the field "upload_id", not both.')
  }
  if (isNamed) return named(fields, pictures)
  if (file)
    return { fields, source: { ...file, kind: kind() }, fileName: nameOf(fields, file.name), pictures }
  throw new ServiceError(
    'unprocessable',
    'file is missing: send the video as the form field "file", or name an upload in the field "upload_id".',
  )
}

function named(fields: ReadonlyMap<string, string>, pictures: SentPictures): Received {
  const source = { uploadId: fields.get('upload_id') ?? '' }
  return { fields, source, fileName: nameOf(fields, undefined), pictures }
}

/** Of a long name, the end says what it is. */
function nameOf(fields: ReadonlyMap<string, string>, sent: string | undefined): string | undefined {
  return (fields.get('file_name') || sent)?.slice(-1000)
}

/** @returns 0 when the length of the body is not announced, or the body holds no file */
export function announcedBytes(request: Request): number {
  return hasSmallFields(request) ? 0 : Number(request.headers.get('Content-Length') ?? 0)
}

/** Pictures that a form may hold beside its video, as a whole and in memory. */
export type SentPictures = {
  /** Instead of a picture of the video. */
  readonly coverFile: Uint8Array | undefined
  /** A photo of the phone for which the result is. */
  readonly donor: Uint8Array | undefined
}

/** For `ReceiveForm`. */
export const PICTURE_FIELDS = { names: ['cover_file', 'donor'], maxBytes: MAX_PICTURE_BYTES } as const

export const NO_PICTURES: SentPictures = { coverFile: undefined, donor: undefined }

export async function readSentPictures(
  { others }: Pick<ReceivedForm, 'others'>,
  folder: Pick<WorkFolder, 'read'>,
): Promise<SentPictures> {
  const read = async (field: string) => {
    const name = others?.get(field)
    return name === undefined ? undefined : folder.read(name)
  }
  return { coverFile: await read('cover_file'), donor: await read('donor') }
}
