import { onAbort } from '@lantern-room/base/async'
import { addressOf, type HttpEvent, isVersion2 } from './address'

/**
 * Turns an event into the request that the client sent, with the address that the client used.
 * @param options.isOffline on a developer's machine the event names a domain that does not exist, and https; the
 *   header `Host` is right
 * @returns undefined when no request can be made of it: a header field with a line break, a method that browsers forbid
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 * @see https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
export function receivedRequest(event: HttpEvent, options: { isOffline: boolean; signal: AbortSignal }) {
  try {
    return toRequest(event, options)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function toRequest(event: HttpEvent, { isOffline, signal }: Parameters<typeof receivedRequest>[1]) {
  const headers = headersOf(event)
  const whole = isVersion2(event) ? event.rawPath : event.path
  const { path, basePath } = isOffline ? { path: whole, basePath: '' } : addressOf(event)
  const host = (isOffline ? null : event.requestContext.domainName) ?? headers.get('Host') ?? 'localhost'
  const query = queryOf(event)
  const method = isVersion2(event) ? event.requestContext.http.method : event.httpMethod
  const body = /^(GET|HEAD)$/i.test(method) ? undefined : bodyOf(event)
  if (body !== undefined) headers.set('Content-Length', String(body.length))
  const url = `${isOffline ? 'http' : 'https'}://${host}${path}${query && `?${query}`}`
  const request = new Request(url, { method, headers, signal, ...(body !== undefined && { body }) })
  // Node lets the request's signal follow ours only while something references the request: this listener does.
  onAbort(signal, () => request)
  return {
    /** Its path is the app's path. */
    request,
    /** The prefix that was removed from it, such as `/dev`; may be empty. */
    basePath,
    /** The address from which the gateway got it. */
    remoteAddress: sourceIpOf(event),
  }
}

function sourceIpOf(event: HttpEvent): string | undefined {
  return isVersion2(event) ? event.requestContext.http.sourceIp : event.requestContext.identity?.sourceIp
}

function headersOf(event: HttpEvent): Headers {
  const headers = new Headers()
  if (isVersion2(event)) {
    addAll(headers, Object.entries(event.headers ?? {}))
    if (event.cookies?.length) headers.set('Cookie', asBytes(event.cookies.join('; ')))
    return headers
  }
  const many = Object.entries(event.multiValueHeaders ?? {})
  for (const [name, values] of many) for (const value of values ?? []) addAll(headers, [[name, value]])
  const single = Object.entries(event.headers ?? {}).filter(([name]) => !headers.has(name))
  addAll(headers, single)
  return headers
}

function addAll(headers: Headers, entries: readonly (readonly [string, string | undefined])[]): void {
  for (const [name, value] of entries) if (value !== undefined) headers.append(name, asBytes(value))
}

/** Gateways read header fields as UTF-8; a `Headers` holds their bytes. */
function asBytes(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1')
}

function queryOf(event: HttpEvent): string {
  if (isVersion2(event)) return event.rawQueryString ?? ''
  const query = new URLSearchParams()
  const many = Object.entries(event.multiValueQueryStringParameters ?? {})
  for (const [name, values] of many) for (const value of values ?? []) query.append(name, value)
  const single = Object.entries(event.queryStringParameters ?? {}).filter(([name]) => !query.has(name))
  for (const [name, value] of single) query.append(name, value ?? '')
  return query.toString()
}

function bodyOf({ body, isBase64Encoded }: HttpEvent): Uint8Array<ArrayBuffer> | undefined {
  if (!body) return undefined
  return new Uint8Array(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}
