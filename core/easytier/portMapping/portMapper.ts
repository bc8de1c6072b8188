import { createAlarm } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { toHex } from '#core/bytes'
import type { Log } from '#core/log'
import type { PortMapping } from '../transport/transports'
import { findNatPmpRouter } from './natPmpRouter'
import { removeMappings } from './removeMappings'
import { type FindRouterOptions, LEASE_MS, type Router, type RouterOptions } from './routers'
import { findUpnpRouter } from './upnpRouter'

/** Has the router of this machine's network open our ports, until the signal aborts. @see docs/decisions.md, D108 */
export type PortMapper = {
  /** The mappings that are open now. */
  mappings(): readonly PortMapping[]
  /** Asks anew, for use after a change of network. */
  restart(): void
  /** Resolves, and never rejects, after the signal, when the ports are closed again or half a second has passed. */
  readonly closed: Promise<void>
}

export type PortMapperOptions = RouterOptions & {
  readonly randomBytes: (size: number) => Uint8Array
  /** Our listeners. */
  readonly ports: { readonly tcp: number; readonly udp: number }
  readonly onChange: () => void
  readonly log: Log
  readonly signal: AbortSignal
}

const FIND_MS = 3000
const MAP_MS = 2000
/** A router that is none now may be one later: it restarts, or the network changes. */
const AGAIN_MS = 120_000
/** After a renewal that has failed. */
const SOON_MS = 10_000
/** How often the router is asked whether it has forgotten its mappings, as it does when it restarts. */
const CHECK_MS = 60_000
const NONCE_SIZE = 12

export function createPortMapper(options: PortMapperOptions): PortMapper {
  const { routers, clock, log, signal, ports } = options
  const alarm = createAlarm(clock)
  const nonce = toHex(options.randomBytes(NONCE_SIZE))
  let router: Router | undefined
  let epoch: SeenEpoch | undefined
  let mappings: readonly PortMapping[] = []

  return {
    mappings: () => mappings,
    restart: alarm.wake,
    closed: run().catch(() => undefined),
  }

  async function run(): Promise<void> {
    try {
      while (!signal.aborted) await stay(await renew())
    } finally {
      const last = mappings
      mappings = []
      await removeMappings(options, last)
    }
  }

  /** Until the time is over, the alarm has been woken, or the router has forgotten our ports. */
  async function stay(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= CHECK_MS) {
      const pause = mappings.length > 0 ? Math.min(left, CHECK_MS) : left
      const since = clock.now()
      await alarm.wait(pause, signal)
      const isWoken = clock.now() - since < pause
      if (isWoken || pause === left || !(await isKept())) return
    }
  }

  /** Also without an answer: the ports are renewed in time anyway. */
  async function isKept(): Promise<boolean> {
    const before = epoch
    await noteEpoch()
    const isSame = before === undefined || epoch === undefined || isSameEpoch(before, epoch)
    if (!isSame) log.info('the router has forgotten its open ports')
    return isSame
  }

  async function noteEpoch(): Promise<void> {
    const ask = router?.epochS
    if (!ask) return
    const epochS = await limited(MAP_MS, ask).catch(() => undefined)
    if (epochS !== undefined) epoch = { epochS, atMs: clock.now() }
  }

  /** @returns how long to wait before the next time */
  async function renew(): Promise<number> {
    const before = mappings
    const opened = await mapBoth().catch((error: unknown) => {
      log.debug('no router opens ports', { cause: String(error) })
      return []
    })
    mappings = opened
    if (!sameMappings(before, opened)) {
      for (const { method, transport, external } of opened) {
        log.info('the router has opened a port', { method, transport, port: external.port })
      }
      if (!signal.aborted) options.onChange()
    }
    if (opened.length > 0) return LEASE_MS / 2
    return before.length > 0 ? SOON_MS : AGAIN_MS
  }

  async function mapBoth(): Promise<readonly PortMapping[]> {
    const found = await limited(FIND_MS, (either) => findRouter({ ...options, nonce }, either))
    router = found
    const map = (transport: 'tcp' | 'udp') => {
      const known = mappings.find((one) => one.transport === transport)
      const wanted = known?.external.port ?? ports[transport]
      return limited(MAP_MS, async (either) => {
        const mapping = await found.map(transport, ports[transport], wanted, either)
        await routers.record.add(mapping)
        return mapping
      })
    }
    const results = await Promise.allSettled([map('udp'), map('tcp')])
    epoch = undefined
    await noteEpoch()
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  function limited<T>(ms: number, work: (either: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(clock, ms, signal, () => new Error('no answer'), work)
  }
}

function sameMappings(some: readonly PortMapping[], others: readonly PortMapping[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others)
}

/** How long a router has kept its mappings, and when it said so. */
export type SeenEpoch = {
  readonly epochS: number
  /** In the clock's time. */
  readonly atMs: number
}

/**
 * Whether a router has kept its mappings between two answers: otherwise they have to be asked for anew at once.
 * @see RFC 6887, section 8.5
 */
export function isSameEpoch(before: SeenEpoch, now: SeenEpoch): boolean {
  // Some routers always tell the same.
  if (now.epochS === before.epochS) return true
  if (now.epochS + 1 < before.epochS) return false
  const here = (now.atMs - before.atMs) / 1000
  const there = now.epochS - before.epochS
  return here + 2 >= there - there / 16 && there + 2 >= here - here / 16
}

/** The first router that opens ports, by either protocol. @throws Error when there is none, or the signal's reason */
export async function findRouter(options: FindRouterOptions, signal: AbortSignal): Promise<Router> {
  const others = new AbortController()
  const either = AbortSignal.any([signal, others.signal])
  try {
    return await Promise.any([findNatPmpRouter(options, either), findUpnpRouter(options, either)])
  } finally {
    others.abort(new Error('a router is found'))
  }
}
