import { ServiceError } from '@lantern-room/base'

/**
 * Refuses requests that a foreign web page makes a browser send: the service has GETs with side effects.
 * These rules hold for requests and for WebSocket handshakes alike.
 * @param allowedOrigins pages that may call, beside the service's own
 * @throws ServiceError `forbidden`
 */
export function refuseForeign(headers: Headers, allowedOrigins: readonly string[]): void {
  // DNS rebinding: a page's own host name that resolves to this machine gets around the same-origin policy.
  if (!isCalledByLoopback(headers)) {
    throw forbidden(
      'The header Host must be 127.0.0.1, localhost or [::1]: call the service by one of these.',
    )
  }
  const origin = headers.get('Origin')
  if (origin !== null) {
    if (isAllowed(origin, headers, allowedOrigins)) return
    throw forbidden(`The page ${shown(origin)} may not use this service: ${remedyFor(origin)}`)
  }
  const site = headers.get('Sec-Fetch-Site')
  if (site !== null && site !== 'same-origin' && site !== 'none') {
    throw forbidden('The request comes from another web page, which may not use this service.')
  }
}

/**
 * Refuses a request that a browser sends because it was led to an address: by a link in a chat, by a redirect, by a form. Unlike a
 * page's own requests these name no origin, or may. For POSTs, and for GETs with an effect.
 * @throws ServiceError `forbidden`
 */
export function refuseLed(headers: Headers, allowedOrigins: readonly string[]): void {
  if (isNavigation(headers)) {
    throw forbidden(
      'This address does something, so it cannot be opened in a browser, where a link or another page may have led: call it from a program, or use the page at /.',
    )
  }
  refuseForeignReferer(headers, allowedOrigins)
}

/** How a browser asks for what it shows, in a tab or inside a page. */
const SHOWN: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'fencedframe', 'embed', 'object'])

/**
 * Whether a browser sends the request to show the response, or in advance because it may be shown soon. Launchers, also those that
 * are pages or ask with a browser's `fetch`, send none of these signs. The last ones are of browsers that know no `Sec-Fetch-…`;
 * `Accept: text/html` is no sign, since Java sends it by itself.
 * @see https://www.w3.org/TR/fetch-metadata/
 * @see docs/decisions.md, D144
 */
export function isNavigation(headers: Headers): boolean {
  return (
    headers.get('Sec-Fetch-Mode') === 'navigate' ||
    SHOWN.has(headers.get('Sec-Fetch-Dest') ?? '') ||
    headers.get('Upgrade-Insecure-Requests') === '1' ||
    IN_ADVANCE.some((name) => /\b(prefetch|prerender|preview)\b/i.test(headers.get(name) ?? ''))
  )
}

const IN_ADVANCE = ['Sec-Purpose', 'Purpose', 'X-Purpose', 'X-Moz']

/** Whether the request's host is a name of this machine. */
export function isCalledByLoopback(headers: Headers): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(headers.get('Host') ?? '')
}

/** The `Referer` is the only sign that an old browser gives of the page that makes it send a request. */
function refuseForeignReferer(headers: Headers, allowedOrigins: readonly string[]): void {
  const referer = headers.get('Referer')
  // An origin has been judged already, and is the better sign.
  if (referer === null || referer === '' || headers.has('Origin')) return
  const origin = originOf(referer)
  if (isAllowed(origin, headers, allowedOrigins)) return
  throw forbidden(
    `The request comes from the page ${shown(origin)}, which may not use this service: ${remedyFor(origin)}`,
  )
}

/** Whether it is one of our own pages, or one that the settings name. */
function isAllowed(origin: string, headers: Headers, allowedOrigins: readonly string[]): boolean {
  return origin === `http://${headers.get('Host')}` || allowedOrigins.includes(origin)
}

function remedyFor(origin: string): string {
  return origin === 'null'
    ? 'a page without an origin (a file, or a sandboxed frame) cannot be allowed; serve it at an address of its own.'
    : 'add it to ROOM_ALLOWED_ORIGINS if it should.'
}

/** Scheme, host and port; the text itself where it is no address. */
function originOf(address: string): string {
  if (!URL.canParse(address)) return address
  const { protocol, host } = new URL(address)
  return `${protocol}//${host}`
}

function forbidden(detail: string): ServiceError {
  return new ServiceError('forbidden', detail)
}

function shown(origin: string): string {
  return origin.slice(0, 200).replaceAll(/[^\x21-\x7e]/g, '?')
}
