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
const NONCE_SIZE = 12

/** Has the router of this machine's network open our ports, until the signal aborts. @see docs/decisions.md, D108 */
export class PortMapper {
  readonly #options: PortMapperOptions
  readonly #alarm: Alarm
  readonly #nonce: string
  #mappings: readonly PortMapping[] = []
  /** Resolves, and never rejects, after the signal, when the ports are closed again or half a second has passed. */
  readonly closed: Promise<void>

  constructor(options: PortMapperOptions) {
    this.#options = options
    this.#alarm = createAlarm(options.clock)
    this.#nonce = toHex(options.randomBytes(NONCE_SIZE))
    this.closed = this.#run().catch(() => undefined)
  }

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
      while (!signal.aborted) await this.#alarm.wait(await this.#renew(), signal)
    } finally {
      const last = this.#mappings
      this.#mappings = []
      await removeMappings(this.#options, last)
    }
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
    const results = await Promise.allSettled([this.#map(router, 'udp'), this.#map(router, 'tcp')])
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
