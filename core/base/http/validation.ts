import { type ErrorCode, ServiceError } from '../errors'

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }

/**
 * The hook that every validated route runs: missing fields and wrong types become one sentence that names the field.
 * @param code of the error. @default 'unprocessable'
 * @returns a hook that throws ServiceError with this code, or returns when the input is valid
 * @example new OpenAPIHono({ defaultHook: refuseInvalid('invalid-request') })
 */
export function refuseInvalid(
  code: ErrorCode = 'unprocessable',
): (result: { success: boolean; error?: unknown }) => void {
  return (result) => {
    if (!result.success) throw invalid(result.error, code)
  }
}

/**
 * The violations of a schema, one sentence per field, as an error to throw.
 * @param error as reported by zod
 * @param code of the error. @default 'unprocessable'
 * @example if (!read.success) throw invalid(read.error)
 */
export function invalid(error: unknown, code: ErrorCode = 'unprocessable'): ServiceError {
  const issues = (error as { issues?: readonly Issue[] } | undefined)?.issues ?? []
  const sentences = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.map(String).join('.')} ${message}.` : 'The body must be a JSON object.',
  )
  return new ServiceError(code, sentences.join(' ') || 'The request is not as it must be.')
}
