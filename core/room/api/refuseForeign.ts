import { ServiceError } from '#core/errors'

/**
 * Refuses requests that a foreign web page makes a browser send: the service has GETs with side effects.
 * The same rules hold for requests and for WebSocket handshakes.
 * @param allowedOrigins pages that may call, beside the service's own
 * @throws ServiceError `forbidden`
 */
export function refuseForeign(headers: Headers, allowedOrigins: readonly string[]): void {
  const host = headers.get('Host')
  // DNS rebinding: a page's own host name that resolves to this machine gets around the same-origin policy.
  if (!host || !isLoopback(host)) {
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
 * Refuses a foreign `Referer`, the only sign that an old browser gives of the page that makes it load an address. For GETs
 * that start or stop something, or ask others over the network.
 * @throws ServiceError `forbidden`
 */
export function refuseForeignReferer(headers: Headers, allowedOrigins: readonly string[]): void {
  const referer = headers.get('Referer')
  if (referer === null || referer === '') return
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

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i.test(host)
}

function forbidden(detail: string): ServiceError {
  return new ServiceError('forbidden', detail)
}

function shown(origin: string): string {
  return origin.slice(0, 200).replaceAll(/[^\x21-\x7e]/g, '?')
}
