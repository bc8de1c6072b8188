import { ServiceError } from '@lantern-room/base'
import type { Caller } from '@lantern-room/clients'
import type { MediaParts } from '#media/parts'
import { inFolder } from '#media/ports'
import { type FormRequest, NO_PICTURES, PICTURE_FIELDS, readSentPictures } from '#media/preview/receiveSource'
import { hasSmallFields, readTextFields, SMALL_BODY_TYPES } from '#media/uploads/smallFields'
import {
  type ConvertRequest,
  type ConvertSessionDependencies,
  convertSession,
  createSharedWork,
} from './convertSession'

/**
 * A function that makes a motion photo of what a form says, and of the pictures in it. All its calls share covers and conversions.
 * @throws ServiceError as `convertSession`; `invalid-request`, `payload-too-large`, `unprocessable`
 */
export function createConverter(
  parts: Omit<ConvertSessionDependencies, 'shared'> & Pick<MediaParts, 'receiveForm'>,
) {
  const { receiveForm, workFolders, limits, stopping } = parts
  const dependencies: ConvertSessionDependencies = {
    sessions: parts.sessions,
    jobs: parts.jobs,
    quotas: parts.quotas,
    metrics: parts.metrics,
    ffmpeg: parts.ffmpeg,
    webp: parts.webp,
    clock: parts.clock,
    version: parts.version,
    workFolders,
    limits,
    stopping,
    shared: createSharedWork(),
  }
  return async ({ request, texts, readForm }: FormRequest<ConvertRequest>, caller: Caller) => {
    if (!isMultipart(request)) {
      return convertSession(dependencies, readForm(await readTexts(request), NO_PICTURES), caller)
    }
    const wanted = await inFolder(workFolders, async (folder) => {
      const form = await receiveForm(request, {
        folder,
        maxFileBytes: 0,
        texts,
        others: PICTURE_FIELDS,
        idleMs: limits.uploadIdleSeconds * 1000,
        checkHead: () => undefined,
        signal: AbortSignal.any([caller.signal, stopping]),
      })
      return readForm(form.fields, await readSentPictures(form, folder))
    })
    return convertSession(dependencies, wanted, caller)
  }
}

/** @throws ServiceError `unsupported-media` when the body is neither such a form nor JSON; as `readTextFields` */
async function readTexts(request: Request): Promise<ReadonlyMap<string, string>> {
  if (!hasSmallFields(request)) {
    throw new ServiceError('unsupported-media', SMALL_BODY_TYPES)
  }
  return readTextFields(request)
}

/** Whether the body of a request may hold files. */
export function isMultipart({ headers }: Request): boolean {
  return /^multipart\/form-data\b/i.test(headers.get('Content-Type') ?? '')
}
