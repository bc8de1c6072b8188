import { z } from '@hono/zod-openapi'
import { ServiceError } from '@lantern-room/base'
import { parseJson } from '@lantern-room/base/bytes'
import {
  addFormField,
  type FormFields,
  readFormFields,
  refuseMisspelt,
  shownName,
} from '@lantern-room/base/fields'
import { invalid } from '@lantern-room/base/http'
import { SMALL_BODY_TYPES } from '../uploads/smallFields'
import { NUMBER } from './fields'

/** For the description of such a request: the document names JSON alone, because a generator chooses one type as it likes. */
export const ALSO_AS_A_FORM =
  'The fields may also be sent as application/x-www-form-urlencoded or multipart/form-data.'

/**
 * The fields of a small body, which may be JSON or either kind of form, so that a client needs one type for all requests. Without a
 * body there are none; those that a form leaves empty count as left out.
 * @param schema of the fields, each a text or a number. The numbers of a form are text
 * @throws ServiceError `unsupported-media`, `invalid-request`, `unprocessable` naming fields; as `refuseMisspelt`
 */
export async function readSmallBody<Schema extends z.ZodObject>(
  schema: Schema,
  request: Request,
): Promise<z.infer<Schema>> {
  const body = await bodyOf(request, schema)
  // What is no object is refused by the schema.
  if (typeof body === 'object' && body !== null)
    refuseMisspelt(Object.entries(body), Object.keys(schema.shape))
  const read = schema.safeParse(body)
  if (!read.success) throw invalid(read.error)
  return read.data
}

async function bodyOf(request: Request, schema: z.ZodObject): Promise<unknown> {
  const type = request.headers.get('Content-Type')
  if (type === null) return {}
  const [name = ''] = type.toLowerCase().split(';')
  switch (name.trim()) {
    case 'application/json':
      return readJson(await request.text())
    case 'application/x-www-form-urlencoded':
      return valuesOf(readFormFields(await request.text()), schema)
    case 'multipart/form-data':
      return valuesOf(await readMultipart(request, Object.keys(schema.shape)), schema)
    default:
      throw new ServiceError('unsupported-media', SMALL_BODY_TYPES)
  }
}

function readJson(text: string): unknown {
  const body = parseJson(text)
  if (body === undefined)
    throw new ServiceError('invalid-request', 'The request body cannot be read as JSON.')
  return body
}

async function readMultipart(request: Request, known: readonly string[]): Promise<FormFields> {
  const form = await request.formData().catch((cause: unknown) => {
    const detail = 'The multipart/form-data body cannot be read, or ended before it was complete.'
    throw new ServiceError('invalid-request', detail, { cause })
  })
  const fields = new Map<string, string>()
  for (const [name, value] of form) {
    if (typeof value === 'string') addFormField(fields, name, value)
    else if (known.includes(name)) {
      const detail = `The field "${shownName(name)}" was sent as a file. Send it as text: a part without a file name.`
      throw new ServiceError('invalid-request', detail)
    }
  }
  return fields
}

/** A text that is no number stays one, for the schema to refuse. */
function valuesOf(fields: FormFields, { shape }: z.ZodObject): Readonly<Record<string, unknown>> {
  const filled = [...fields].filter(([, value]) => value.trim() !== '')
  return Object.fromEntries(
    filled.map(([name, value]) => {
      const isNumber = isNumeric(shape[name]) && NUMBER.test(value.trim())
      return [name, isNumber ? Number(value) : value]
    }),
  )
}

function isNumeric(field: unknown): boolean {
  return field instanceof z.ZodOptional ? isNumeric(field.unwrap()) : field instanceof z.ZodNumber
}
