import { setNewest } from '#core/boundedMemory'
import type { Log } from '#core/log'
import type { Connection } from '../transport/transports'
import { type Endpoint, formatEndpoint, type NodeUrl } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'

const DIAL_MS = 3000
/** A listener is announced repeatedly; it is dialled at most this often. */
const AGAIN_MS = 2000
/** At once, one at each address: any machine of the LAN may announce as many listeners as it likes. */
const MAX_DIALS = 32
const MAX_REMEMBERED = 64

/**
 * Lets peers on one LAN find each other without a shared node: some announce their listener, the others dial it.
 * Resolves after the signal.
 */
export async function dialOnLan(
  options: Dialling & {
    /** Names the network. */
    readonly key: string
    /** The port of our TCP listener. */
    readonly port: number
    readonly announces: boolean
    /** Whether a peer is connected: then found listeners are ignored. */
    readonly isConnected: () => boolean
    readonly onConnection: (connection: Connection) => void
    readonly log: Log
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { transports, clock, key, log, signal } = options
  const dialledAt = new Map<string, number>()
  /** The addresses that are being dialled. */
  const dialling = new Set<string>()
  const dial = async (at: Endpoint) => {
    const text = formatEndpoint(at)
    const isEarly = clock.now() - (dialledAt.get(text) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS
    const isBusy = dialling.has(at.address) || dialling.size >= MAX_DIALS
    if (isEarly || isBusy || options.isConnected()) return
    setNewest(dialledAt, text, clock.now(), MAX_REMEMBERED)
    dialling.add(at.address)
    const url: NodeUrl = { scheme: 'tcp', host: at.address, port: at.port, path: '/' }
    try {
      options.onConnection(await dialNode({ url, origin: 'announcer' }, options, DIAL_MS, signal))
    } catch (error) {
      log.debug('a listener on the LAN does not answer', { at: text, cause: String(error) })
    } finally {
      dialling.delete(at.address)
    }
  }
  try {
    if (options.announces) await transports.lan.announce(key, options.port, signal)
    else await transports.lan.discover(key, (at) => void dial(at), signal)
  } catch (error) {
    if (!signal.aborted) log.warn('peers on the LAN cannot be found', { cause: String(error) })
  }
}
