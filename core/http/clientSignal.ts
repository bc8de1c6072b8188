import { ServiceError } from '../errors'

/**
 * Aborts when the client leaves or the host ends the request. Hosts give any reason, a bare text among them; here it
 * is always an error, because only errors find their way through the app.
 */
export function clientSignal({ signal }: Request): AbortSignal {
  const controller = new AbortController()
  const leave = () => {
    const { reason } = signal
    controller.abort(
      reason instanceof Error
        ? reason
        : new ServiceError('unavailable', 'The client left.', { cause: reason }),
    )
  }
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return controller.signal
}
