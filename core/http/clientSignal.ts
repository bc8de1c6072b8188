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
