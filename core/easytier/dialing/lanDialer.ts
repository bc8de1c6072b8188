import type { Log } from '#core/log'
import type { Connection } from '../transport/transports'
import { formatEndpoint } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'

const DIAL_MS = 3000
/** The same listener is announced again and again. */
const AGAIN_MS = 2000

/**
 * Lets peers on one LAN find each other without a shared node: some announce their listener, the others dial it.
 * Resolves after the signal.
 */
export async function dialOnLan(
  options: Dialling & {
    /** Names the network. */
    readonly key: string
    /** Of our TCP listener. */
    readonly port: number
    readonly announces: boolean
    /** Whether there is no need to look any more. */
    readonly isConnected: () => boolean
    readonly onLink: (link: Connection) => void
    readonly log: Log
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { transports, clock, key, log, signal } = options
  const dialledAt = new Map<string, number>()
  try {
    if (options.announces) await transports.lan.announce(key, options.port, signal)
    else {
      await transports.lan.discover(
        key,
        (at) => {
          const place = formatEndpoint(at)
          const isEarly = clock.now() - (dialledAt.get(place) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS
          if (isEarly || options.isConnected()) return
          dialledAt.set(place, clock.now())
          dialNode(
            { scheme: 'tcp', host: at.address, port: at.port, path: '/' },
            options,
            DIAL_MS,
            signal,
          ).then(options.onLink, (error: unknown) =>
            log.debug('a listener on the LAN does not answer', { place, cause: String(error) }),
          )
        },
        signal,
      )
    }
  } catch (error) {
    if (!signal.aborted) log.warn('peers on the LAN cannot be found', { cause: String(error) })
  }
}
