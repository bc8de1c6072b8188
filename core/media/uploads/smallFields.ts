import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import { type FormFields, readFormFields, refuseMisspelt, shownName } from '@lantern-room/base/fields'
import { z } from 'zod'

/** What is told of a body of another type. */
export const SMALL_BODY_TYPES =
  'The Content-Type must be application/x-www-form-urlencoded, multipart/form-data or application/json.'

const SMALL_BODY = /^application\/(json|x-www-form-urlencoded)[ \t]*(;|$)/i
const fieldsOfJson = z.looseObject({ upload_id: z.string().optional() })

/** Whether a request's body is of a type that can name an upload and hold no file. */
export function hasSmallFields({ headers }: Request): boolean {
  return SMALL_BODY.test(headers.get('Content-Type') ?? '')
}

/**
 * The fields of a small body, which is JSON or a form. Numbers and truth values of JSON become text, as in a form.
 * @throws ServiceError `invalid-request` when it names no upload, `unprocessable` when a field has no such value or is there twice
 */
export async function readSmallFields(request: Request): Promise<FormFields> {
  const fields = await readTextFields(request)
  if (fields.get('upload_id')) return fields
  refuseMisspelt(fields, ['upload_id'])
  throw new ServiceError(
    'invalid-request',
    'Send a multipart/form-data body with the file in the field "file", or the upload_id of an upload.',
  )
}

/**
 * The fields of a body for which `hasSmallFields` holds, as `readSmallFields` reads them. Of what is no JSON object there are none.
 * @throws ServiceError `unprocessable` as `readSmallFields`
 */
export async function readTextFields(request: Request): Promise<FormFields> {
  const text = await request.text()
  const isJson = /json/i.test(request.headers.get('Content-Type') ?? '')
  return isJson ? jsonFields(text) : readFormFields(text)
}

function jsonFields(text: string): FormFields {
  const { data = {} } = fieldsOfJson.safeParse(parseJson(text))
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(data)) {
    if (value === null || value === undefined) continue
    if (typeof value === 'object')
      throw new ServiceError('unprocessable', `${shownName(name)} must be a text, a number or a truth value.`)
    fields.set(name, String(value))
  }
  return fields
}
