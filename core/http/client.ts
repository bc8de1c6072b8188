import { networkOfAddress } from '../addressRanges'
import { onAbort } from '../async/onAbort'
import { ServiceError } from '../errors'

/**
 * Aborts when the client disconnects or the host ends the request. Hosts may give any reason, such as a plain string.
 * Here it is always an error, because Hono passes only errors to the app's error handler.
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
 * What tells a client from others: its IPv4 address, or its /64 network, since one IPv6 client may use any address in
 * it. With a trusted proxy it is the last entry of `X-Forwarded-For`: that is the one that the proxy itself has added.
 * @param request.remoteAddress of the connection, as the host sees it
 * @returns `unknown` where the host does not tell
 */
export function clientAddress(
  request: { readonly headers: Headers; readonly remoteAddress: string | undefined },
  { trustProxy }: { readonly trustProxy: boolean },
): string {
  const forwarded = trustProxy ? request.headers.get('X-Forwarded-For') : undefined
  const addresses = [forwarded?.split(',').at(-1)?.trim(), request.remoteAddress]
  return addresses.map((address) => address && networkOfAddress(address)).find(Boolean) ?? 'unknown'
}
