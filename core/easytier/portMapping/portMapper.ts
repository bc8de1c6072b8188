import { type Alarm, createAlarm } from '#core/async/clock'
import { withDeadline } from '#core/async/deadline'
import { toHex } from '#core/bytes'
import type { Log } from '#core/log'
import type { PortMapping } from '../transport/transports'
import { findNatPmpRouter } from './natPmpRouter'
import { removeMappings } from './removeMappings'
import { type FindRouterOptions, LEASE_MS, type Router, type RouterOptions } from './routers'
import { findUpnpRouter } from './upnpRouter'

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

/** Has the router of this machine's network open our ports, until the signal aborts. @see docs/decisions.md, D108 */
export class PortMapper {
  readonly #options: PortMapperOptions
  readonly #alarm: Alarm
  readonly #nonce: string
  #router: Router | undefined
  #epoch: SeenEpoch | undefined
  #mappings: readonly PortMapping[] = []
  /** Resolves, and never rejects, after the signal, when the ports are closed again or half a second has passed. */
  readonly closed: Promise<void>

  constructor(options: PortMapperOptions) {
    this.#options = options
    this.#alarm = createAlarm(options.clock)
    this.#nonce = toHex(options.randomBytes(NONCE_SIZE))
    this.closed = this.#run().catch(() => undefined)
  }

  /** The mappings that are open now. */
  mappings(): readonly PortMapping[] {
    return this.#mappings
  }

  /** Asks anew, for use after a change of network. */
  restart(): void {
    this.#alarm.wake()
  }

  async #run(): Promise<void> {
    const { signal } = this.#options
    try {
      while (!signal.aborted) await this.#stay(await this.#renew())
    } finally {
      const last = this.#mappings
      this.#mappings = []
      await removeMappings(this.#options, last)
    }
  }

  /** Until the time is over, the alarm has been woken, or the router has forgotten our ports. */
  async #stay(ms: number): Promise<void> {
    const { clock, signal } = this.#options
    for (let left = ms; left > 0; left -= CHECK_MS) {
      const pause = this.#mappings.length > 0 ? Math.min(left, CHECK_MS) : left
      const since = clock.now()
      await this.#alarm.wait(pause, signal)
      const isWoken = clock.now() - since < pause
      if (isWoken || pause === left || !(await this.#isKept())) return
    }
  }

  /** Also without an answer: the ports are renewed in time anyway. */
  async #isKept(): Promise<boolean> {
    const before = this.#epoch
    await this.#noteEpoch()
    const isSame = before === undefined || this.#epoch === undefined || isSameEpoch(before, this.#epoch)
    if (!isSame) this.#options.log.info('the router has forgotten its open ports')
    return isSame
  }

  async #noteEpoch(): Promise<void> {
    const ask = this.#router?.epochS
    if (!ask) return
    const epochS = await this.#limited(MAP_MS, ask).catch(() => undefined)
    if (epochS !== undefined) this.#epoch = { epochS, atMs: this.#options.clock.now() }
  }

  /** @returns how long to wait before the next time */
  async #renew(): Promise<number> {
    const { log, onChange, signal } = this.#options
    const before = this.#mappings
    const opened = await this.#mapBoth().catch((error: unknown) => {
      log.debug('no router opens ports', { cause: String(error) })
      return []
    })
    this.#mappings = opened
    if (JSON.stringify(before) !== JSON.stringify(opened)) {
      for (const { method, transport, external } of opened) {
        log.info('the router has opened a port', { method, transport, port: external.port })
      }
      if (!signal.aborted) onChange()
    }
    if (opened.length > 0) return LEASE_MS / 2
    return before.length > 0 ? SOON_MS : AGAIN_MS
  }

  async #mapBoth(): Promise<readonly PortMapping[]> {
    const options = { ...this.#options, nonce: this.#nonce }
    const router = await this.#limited(FIND_MS, (either) => findRouter(options, either))
    this.#router = router
    const results = await Promise.allSettled([this.#map(router, 'udp'), this.#map(router, 'tcp')])
    this.#epoch = undefined
    await this.#noteEpoch()
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  }

  #map(router: Router, transport: 'tcp' | 'udp'): Promise<PortMapping> {
    const { routers, ports } = this.#options
    const known = this.#mappings.find((one) => one.transport === transport)
    const wanted = known?.external.port ?? ports[transport]
    return this.#limited(MAP_MS, async (either) => {
      const mapping = await router.map(transport, ports[transport], wanted, either)
      await routers.record.add(mapping)
      return mapping
    })
  }

  #limited<T>(ms: number, work: (either: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, signal } = this.#options
    return withDeadline(clock, ms, signal, () => new Error('no answer'), work)
  }
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
