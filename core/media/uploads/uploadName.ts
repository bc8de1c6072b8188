import { z } from 'zod'
import { ServiceError } from '#core/errors'
import { parseJson } from '#core/json'

const SMALL_BODY = /^application\/(json|x-www-form-urlencoded)[ \t]*(;|$)/i
const named = z.object({ upload_id: z.string().min(1) })

/** Whether a request's body is of a type that can name an upload and hold no file. */
export function mayNameUpload({ headers }: Request): boolean {
  return SMALL_BODY.test(headers.get('Content-Type') ?? '')
}

/**
 * The upload that a small body names, as JSON or as a form.
 * @throws ServiceError `invalid-request` when it names none
 */
export async function readUploadName(request: Request): Promise<string> {
  const text = await request.text()
  const isJson = /json/i.test(request.headers.get('Content-Type') ?? '')
  const { data } = named.safeParse(isJson ? parseJson(text) : Object.fromEntries(new URLSearchParams(text)))
  if (data) return data.upload_id
  throw new ServiceError(
    'invalid-request',
    'Send a multipart/form-data body with the video in the field "file", or the upload_id of an upload.',
  )
}
