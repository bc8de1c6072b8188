import { parseJson } from '@lantern-room/base/bytes'
import { isTokenNeeded, token } from './token'

/** How long a browser may take to begin with what was clicked. */
const KEPT_MS = 10_000

/** A request that failed, as the service says it; `unreachable` when there was no response. */
export class RequestProblem extends Error {
  readonly code: string
  readonly detail: string

  constructor(code: string, detail: string) {
    super(detail)
    this.name = 'RequestProblem'
    this.code = code
    this.detail = detail
  }
}

/**
 * Sends a request to the page's own service, with the token where there is one.
 * @throws RequestProblem; the reason of the signal when it was aborted
 */
export async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, { ...init, headers: withToken(init.headers) }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new RequestProblem('unreachable', '')
    },
  )
  if (!response.ok) throw problemOf(response.status, await response.text().catch(() => ''))
  return response
}

export async function askJson<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await ask(path, init)).json()) as T
}

export function postJson(path: string, body: object, init: RequestInit = {}): Promise<Response> {
  const headers = { ...Object.fromEntries(new Headers(init.headers)), 'Content-Type': 'application/json' }
  return ask(path, { ...init, method: 'POST', headers, body: JSON.stringify(body) })
}

/** Saves bytes as a file of this name, as a click on a link does. */
export function saveFile(bytes: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(bytes)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS)
}

/** The error described by a response. Notes that a token is needed. */
export function problemOf(status: number, body: string): RequestProblem {
  if (status === 401) isTokenNeeded.value = true
  const said = (parseJson(body) ?? {}) as { code?: string; detail?: string; error?: string }
  return new RequestProblem(said.code ?? `http-${status}`, said.detail ?? said.error ?? `HTTP ${status}`)
}

function withToken(headers: HeadersInit | undefined): Headers {
  const all = new Headers(headers)
  if (token.value !== undefined) all.set('Authorization', `Bearer ${token.value}`)
  return all
}
