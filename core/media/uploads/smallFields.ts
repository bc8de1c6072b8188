import { z } from 'zod'
import { parseJson } from '#core/bytes'
import { ServiceError } from '#core/errors'

const SMALL_BODY = /^application\/(json|x-www-form-urlencoded)[ \t]*(;|$)/i
const fieldsOfJson = z.looseObject({ upload_id: z.string().optional() })

/** Whether a request's body is of a type that can name an upload and hold no file. */
export function hasSmallFields({ headers }: Request): boolean {
  return SMALL_BODY.test(headers.get('Content-Type') ?? '')
}

/**
 * The fields of a small body, which is JSON or a form. Numbers and truth values of JSON become text, as in a form.
 * @throws ServiceError `invalid-request` when it names no upload
 */
export async function readSmallFields(request: Request): Promise<ReadonlyMap<string, string>> {
  const text = await request.text()
  const isJson = /json/i.test(request.headers.get('Content-Type') ?? '')
  const fields = isJson ? jsonFields(text) : new Map(new URLSearchParams(text))
  if (fields.get('upload_id')) return fields
  throw new ServiceError(
    'invalid-request',
    'Send a multipart/form-data body with the file in the field "file", or the upload_id of an upload.',
  )
}

function jsonFields(text: string): Map<string, string> {
  const { data = {} } = fieldsOfJson.safeParse(parseJson(text))
  // A field that is not a text, number or truth value becomes a text that no field takes.
  const entries = Object.entries(data).filter(([, value]) => value !== null && value !== undefined)
  return new Map(entries.map(([name, value]) => [name, String(value)]))
}
