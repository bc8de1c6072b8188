import { onAbort } from '../async/onAbort'
import { ServiceError } from '../errors'
import { networkOfAddress } from '../network/addressRanges'

/**
 * A signal that aborts when the client disconnects or the host ends the request. Hosts may give any reason, such as a plain string.
 * Here it is always an error, because Hono passes only errors to the app's error handler.
 * @returns a signal whose reason is the host's error, or a ServiceError `unavailable`
 * @example await checkRoom({ code, signal: clientSignal(context.req.raw) })
 */
export function clientSignal({ signal }: Request): AbortSignal {
  const controller = new AbortController()
  onAbort(signal, () => {
    const { reason } = signal
    controller.abort(
      reason instanceof Error
        ? reason
        : new ServiceError('unavailable', 'The client left.', { cause: reason }),
    )
  })
  return controller.signal
}

/**
 * The key that identifies a client: its IPv4 address, or its /64 network, since one IPv6 client may use any address in
 * it. With a trusted proxy it is the last entry of `X-Forwarded-For`: that is the one that the proxy itself has added.
 * @param request.remoteAddress of the connection, as the host sees it
 * @returns `unknown` where the host does not tell
 * @example clientAddress({ headers, remoteAddress: '2001:db8::7' }, { trustProxy: false }) // '2001:db8:0:0::/64'
 */
export function clientAddress(
  request: { readonly headers: Headers; readonly remoteAddress: string | undefined },
  { trustProxy }: { readonly trustProxy: boolean },
): string {
  const forwarded = trustProxy ? request.headers.get('X-Forwarded-For') : undefined
  const addresses = [forwarded?.split(',').at(-1)?.trim(), request.remoteAddress]
  return addresses.map((address) => address && networkOfAddress(address)).find(Boolean) ?? 'unknown'
}

/**
 * The address under which the client reached us, without a final slash.
 * @param settings.publicBaseUrl takes precedence; undefined where none is set
 * @param settings.basePath what precedes the app's own paths, such as `/dev`; may be empty. @default ''
 * @param settings.trustProxy whether `X-Forwarded-Proto` and `X-Forwarded-Host` are trusted
 * @example `${baseUrl(context.req.raw, { publicBaseUrl: undefined, trustProxy: true })}/sessions/${id}`
 */
export function baseUrl(
  request: { readonly url: string; readonly headers: Headers },
  settings: {
    readonly publicBaseUrl: string | undefined
    readonly trustProxy: boolean
    readonly basePath?: string
  },
): string {
  if (settings.publicBaseUrl !== undefined) return settings.publicBaseUrl
  const url = new URL(request.url)
  const forwarded = (name: string) =>
    settings.trustProxy ? request.headers.get(name)?.split(',')[0]?.trim() : undefined
  const scheme = forwarded('X-Forwarded-Proto')
  const host = forwarded('X-Forwarded-Host')
  const origin = `${scheme === 'http' || scheme === 'https' ? scheme : url.protocol.slice(0, -1)}://${host || url.host}`
  return `${URL.canParse(origin) ? new URL(origin).origin : url.origin}${settings.basePath ?? ''}`
}
