import { HTTP_STATUS } from '@lantern-room/base/http'
import * as assert from 'uvu/assert'
import type { Host } from '#support/hosts/hosts'

// How the API is asked, and what every refusal must look like.

export type Prepared = {
  readonly session_id: string
  readonly preview_url: string
  readonly duration: number
  readonly width: number
  readonly height: number
  readonly has_audio: boolean
  readonly has_still: boolean
  readonly frames: number
  readonly strip?: Strip
  readonly from: number
  readonly to: number
  readonly source_duration: number | null
  readonly captured_at: string | null
  readonly captured_at_from: string | null
  readonly expires_at: number
}

export type Strip = {
  readonly url: string
  readonly tile_width: number
  readonly tile_height: number
  readonly row_height: number
  readonly tiles: number
  readonly interval: number
}

export type ConvertFields = Readonly<Record<string, string>>

export function formOf(file: Uint8Array | undefined, name = 'file', fields: ConvertFields = {}): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  if (file) form.append(name, new Blob([file]), 'clip.mp4')
  return form
}

export function post(
  host: Host,
  path: string,
  body?: RequestInit['body'],
  init: RequestInit = {},
): Promise<Response> {
  return host.send(path, { method: 'POST', body: body ?? null, ...init })
}

export function prepare(host: Host, file: Uint8Array, init: RequestInit = {}): Promise<Response> {
  return post(host, '/prepare', formOf(file), init)
}

export async function prepared(host: Host, file: Uint8Array, init: RequestInit = {}): Promise<Prepared> {
  const response = await prepare(host, file, init)
  const text = await response.text()
  assert.is(response.status, 200, text)
  return JSON.parse(text)
}

export type Allowed = {
  readonly upload_id: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly expires_at: number
}

/** Asks for an upload, which must be allowed. */
export async function allowed(
  host: Host,
  size: number,
  content_type = 'video/mp4',
  init: RequestInit = {},
): Promise<Allowed> {
  const response = await postJson(host, '/uploads', { size, content_type }, init)
  const text = await response.text()
  assert.is(response.status, 201, text)
  return JSON.parse(text)
}

/** Sends the file of an upload to wherever it is to go. */
export function put(
  host: Host,
  { url, headers }: Pick<Allowed, 'url' | 'headers'>,
  file: Uint8Array,
  init: RequestInit = {},
): Promise<Response> {
  const request = { method: 'PUT', body: new Uint8Array(file), headers: { ...headers }, ...init }
  return url.startsWith(host.url) ? host.send(url.slice(host.url.length), request) : fetch(url, request)
}

/** Allows and sends a file. @returns its upload_id */
export async function uploaded(
  host: Host,
  file: Uint8Array,
  content_type = 'video/mp4',
  init: RequestInit = {},
): Promise<string> {
  const upload = await allowed(host, file.length, content_type, init)
  const response = await put(host, upload, file)
  assert.is(response.status, 200, await response.text())
  return upload.upload_id
}

export function prepareUpload(host: Host, upload_id: string, init: RequestInit = {}): Promise<Response> {
  return post(host, '/prepare', formOf(undefined, '', { upload_id }), init)
}

export function convert(host: Host, fields: ConvertFields, init: RequestInit = {}): Promise<Response> {
  return post(host, '/convert', new URLSearchParams(fields), init)
}

export function postJson(host: Host, path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'Content-Type': 'application/json', ...init.headers }
  return host.send(path, { ...init, method: 'POST', body: text, headers })
}

/** The body as JSON; what is in it is for the test to say. */
export async function jsonOf<T = Record<string, unknown>>(response: Response): Promise<T> {
  return JSON.parse(await response.text())
}

export async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer())
}

/** A multipart body as it goes over the wire, with the file in the middle or cut off before the end. */
export function multipart(
  parts: readonly { readonly head: string; readonly body: Uint8Array | string }[],
  { end = true }: { end?: boolean } = {},
): { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> } {
  const boundary = 'a-boundary-of-our-own'
  const chunks = parts.flatMap(({ head, body }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n'),
  ])
  // Cut right after the last content, without so much as a line end.
  const whole = end ? [...chunks, Buffer.from(`--${boundary}--\r\n`)] : chunks.slice(0, -1)
  return {
    body: new Uint8Array(Buffer.concat(whole)),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

/**
 * A refusal has its status, a body of exactly `detail` and `code` that belong together, and headers that keep it out
 * of caches.
 * @returns detail
 */
export async function refused(
  answer: Response | Promise<Response>,
  status: number,
  words?: RegExp,
): Promise<string> {
  const response = await answer
  const text = await response.text()
  assert.is(response.status, status, text)
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/json\b/)
  const body = JSON.parse(text)
  assert.equal(Object.keys(body).sort(), ['code', 'detail'])
  assert.type(body.detail, 'string')
  assert.is(HTTP_STATUS[body.code as keyof typeof HTTP_STATUS], status === 416 ? 422 : status, text)
  assert.match(body.detail, /^[A-Za-z/].*[.]$/s)
  if (words) assert.match(body.detail, words)
  tellsNothing(body.detail)
  if (status === 429 || status === 503) assert.match(response.headers.get('Retry-After') ?? '', /^[1-9]\d*$/)
  if (status === 401) assert.is(response.headers.get('WWW-Authenticate'), 'Bearer')
  if (status !== 416) assert.is(response.headers.get('Cache-Control'), 'no-store')
  return body.detail
}

/** For `catch`: the error says for what it failed. */
export function failedFor(what: string): (error: Error) => never {
  return (error) => {
    error.message = `${what}: ${error.message}`
    throw error
  }
}

/** What clients send and ask for may be named; nothing else with a slash may, for it could be a path. */
const PUBLIC_WORDS =
  /multipart\/form-data|(application|video|image)\/[a-z0-9-]+|such as 1:1|\/openapi\.json|(^|\s)\/(health|uploads|prepare|motion-photo|convert|thumbnail|cleanup|sessions|preview|inspect|extract|repair)?(\/[0-9a-z.]+)*(?=\s)/g

/** No error tells of the machine: its paths, its programs, the words of either. */
function tellsNothing(detail: string): void {
  const rest = detail.replaceAll(PUBLIC_WORDS, ' ')
  assert.not.match(rest, /[/\\]|:\d/)
  assert.not.match(rest, /ffmpeg|ffprobe|busboy|x264|sharp|\bnode|errno|tmp|lantern|undefined|\[object/i)
  assert.not.match(rest, /\bE[A-Z]{4,}\b|Error/)
}

/** A body without an end, which counts what is taken of it. @param first comes before the empty chunks */
export function endlessBody(chunk = 65_536, first = new Uint8Array(chunk)) {
  let given = 0
  let cancelled = false
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const bytes = given === 0 ? first.slice() : new Uint8Array(chunk)
        given += bytes.length
        controller.enqueue(bytes)
      },
      cancel() {
        cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { body, given: () => given, wasCancelled: () => cancelled }
}

/** A request whose body is sent as it comes. */
export function streamed(
  method: string,
  body: ReadableStream<Uint8Array>,
  headers: Readonly<Record<string, string>>,
): RequestInit {
  const init: RequestInit & { duplex: 'half' } = { method, body, duplex: 'half', headers }
  return init
}

export type ServerSentEvent = { readonly event: string; readonly data: Record<string, unknown> }

/** The events of a stream's text. Comments are left out. */
export function eventsOf(text: string): ServerSentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [, event = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
      return { event, data: JSON.parse(data) }
    })
}
