import { ServiceError } from '../errors'

type Issue = { readonly path: readonly PropertyKey[]; readonly message: string }

/**
 * The hook that every validated route runs: what is missing or of the wrong type becomes one sentence that names the
 * field.
 * @throws ServiceError `unprocessable`
 */
export function refuseInvalid(result: { success: boolean; error?: unknown }): void {
  if (result.success) return
  const issues = (result.error as { issues?: readonly Issue[] } | undefined)?.issues ?? []
  const sentences = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.map(String).join('.')} ${message}.` : 'The body must be a JSON object.',
  )
  throw new ServiceError('unprocessable', sentences.join(' ') || 'The request is not as it must be.')
}
