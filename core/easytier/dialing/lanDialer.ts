import type { Log } from '@lantern-room/base'
import { createTokenBuckets, setNewest } from '@lantern-room/base/limits'
import type { Connection } from '../transport/transports'
import { type Endpoint, formatEndpoint, type NodeUrl } from '../wire/socketAddress'
import { type Dialling, dialNode } from './dialNode'

const DIAL_MS = 3000
/** A listener is announced repeatedly; it is dialled at most this often. */
const AGAIN_MS = 2000
/** At once, one at each address: any machine of the LAN may announce as many listeners as it likes. */
const MAX_DIALS = 32
/** Listeners that wait for their turn: the addresses take turns. */
const MAX_WAITING = { perAddress: 64, addresses: 64 }
/** Of one address: whoever forges its announcements has us try so many of its ports. */
const PER_ADDRESS = { perSecond: 8, burst: 64 }
const MAX_REMEMBERED = 1024
/** Connections that are kept; with more, the oldest is closed. */
const MAX_OPEN = 64

type LanDialerOptions = Dialling & {
  /** Whether those who are searched for are connected: then found listeners are ignored. */
  readonly isFound: () => boolean
  readonly onConnection: (connection: Connection) => void
  readonly log: Log
  readonly signal: AbortSignal
}

/**
 * Lets peers on one LAN find each other without a shared node: some announce their listener, the others dial it.
 * Resolves after the signal.
 */
export async function dialOnLan(
  options: LanDialerOptions & {
    /** Names the network. */
    readonly key: string
    /** The port of our TCP listener. */
    readonly port: number
    readonly announces: boolean
  },
): Promise<void> {
  const { transports, key, log, signal } = options
  try {
    if (options.announces) await transports.lan.announce(key, options.port, signal)
    else await transports.lan.discover(key, createLanDials(options), signal)
  } catch (error) {
    if (!signal.aborted) log.warn('peers on the LAN cannot be found', { cause: String(error) })
  }
}

/**
 * Dials every listener that is announced until those who are searched for are connected: anybody who knows the key may announce, so
 * that one of them alone, which answered first, says nothing.
 * @see docs/decisions.md, D156
 * @returns a function that takes each announcement
 */
function createLanDials(options: LanDialerOptions): (at: Endpoint) => void {
  const { clock, log, signal } = options
  const budget = createTokenBuckets(clock, PER_ADDRESS)
  const dialledAt = new Map<string, number>()
  /** By address. The first one is next. */
  const waiting = new Map<string, Endpoint[]>()
  /** The addresses that are being dialled. */
  const dialling = new Set<string>()
  /** By the listener. */
  const open = new Map<string, Connection>()

  return (at) => {
    const text = formatEndpoint(at)
    const isEarly = clock.now() - (dialledAt.get(text) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS
    if (isEarly || open.has(text) || options.isFound()) return
    const ofAddress = waiting.get(at.address) ?? []
    const isFull = ofAddress.length >= MAX_WAITING.perAddress
    const isNewAddress = ofAddress.length === 0 && waiting.size >= MAX_WAITING.addresses
    if (isFull || isNewAddress || ofAddress.some(({ port }) => port === at.port)) return
    waiting.set(at.address, [...ofAddress, at])
    dialNext()
  }

  function dialNext(): void {
    for (const [address, [next, ...later]] of [...waiting]) {
      if (dialling.size >= MAX_DIALS) return
      if (dialling.has(address)) continue
      waiting.delete(address)
      // Behind the others.
      if (later.length > 0) waiting.set(address, later)
      if (next && budget.take(address)) void dial(next)
    }
  }

  async function dial(at: Endpoint): Promise<void> {
    const text = formatEndpoint(at)
    if (signal.aborted || options.isFound()) return
    setNewest(dialledAt, text, clock.now(), MAX_REMEMBERED)
    dialling.add(at.address)
    const url: NodeUrl = { scheme: 'tcp', host: at.address, port: at.port, path: '/' }
    try {
      keep(text, await dialNode({ url, origin: 'announcer' }, options, DIAL_MS, signal))
    } catch (error) {
      log.debug('a listener on the LAN does not answer', { at: text, cause: String(error) })
    } finally {
      dialling.delete(at.address)
      dialNext()
    }
  }

  function keep(text: string, connection: Connection): void {
    const [oldest] = open.values()
    if (open.size >= MAX_OPEN) oldest?.close()
    open.set(text, connection)
    void connection.closed.then(() => open.get(text) === connection && open.delete(text))
    options.onConnection(connection)
  }
}
