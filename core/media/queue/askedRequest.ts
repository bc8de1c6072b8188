import { readWish } from '../api/prepare'
import type { PrepareWish } from '../preview/createSession'
import type { FormRequest } from '../preview/receiveSource'

/** The request for what no request waits for. */
export function askedRequest(fields: Readonly<Record<string, string>>): FormRequest<PrepareWish> {
  const headers = { 'Content-Type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify(fields) }
  return { request: new Request('https://queue/prepare', init), texts: [], readForm: readWish }
}
