import type { Log } from '@lantern-room/base'
import { type Alarm, createAlarm, withDeadline } from '@lantern-room/base/async'
import { findNatPmpRouter } from './natPmpRouter'
import type { PortMapping } from './ports'
import { removeMappings } from './removeMappings'
import { LEASE_MS, type Router, type RouterOptions } from './routers'
import { findUpnpRouter } from './upnpRouter'

export type PortMapperOptions = RouterOptions & {
  /** Our listeners. */
  readonly ports: { readonly tcp: number; readonly udp: number }
  readonly onChange: () => void
  readonly log: Log
}

const FIND_MS = 3000
const MAP_MS = 2000
/** A router that is none now may be one later: it restarts, or the network changes. */
const AGAIN_MS = 120_000
/** After a renewal that has failed. */
const SOON_MS = 10_000

/** Has the router of this machine's network open our ports, until the signal aborts. @see docs/decisions.md, D108 */
export class PortMapper {
  readonly #options: PortMapperOptions
  readonly #signal: AbortSignal
  readonly #alarm: Alarm
  #mappings: readonly PortMapping[] = []
  #closed: Promise<void> = Promise.resolve()

  static open(options: PortMapperOptions, signal: AbortSignal): PortMapper {
    const mapper = new PortMapper(options, signal)
    mapper.#closed = mapper.#run().catch(() => undefined)
    return mapper
  }

  private constructor(options: PortMapperOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#alarm = createAlarm(options.clock)
  }

  /** Resolves, and never rejects, after the signal, when the ports are closed again or half a second has passed. */
  get closed(): Promise<void> {
    return this.#closed
  }

  mappings(): readonly PortMapping[] {
    return this.#mappings
  }

  /** Asks anew, for use after a change of network. */
  restart(): void {
    this.#alarm.wake()
  }

  async #run(): Promise<void> {
    try {
      while (!this.#signal.aborted) await this.#alarm.wait(await this.#renew(), this.#signal)
    } finally {
      const last = this.#mappings
      this.#mappings = []
      await removeMappings(this.#options, last)
    }
  }

  /** @returns how long to wait before the next time */
  async #renew(): Promise<number> {
    const { log, onChange } = this.#options
    const before = this.#mappings
    const now = await mapBoth(this.#options, before, this.#signal).catch((error: unknown) => {
      log.debug('no router opens ports', { cause: String(error) })
      return []
    })
    this.#mappings = now
    if (JSON.stringify(before) !== JSON.stringify(now)) {
      logOpened(log, now)
      if (!this.#signal.aborted) onChange()
    }
    if (now.length > 0) return LEASE_MS / 2
    return before.length > 0 ? SOON_MS : AGAIN_MS
  }
}

/** @param known mappings to be kept as they are where the router allows it */
async function mapBoth(
  options: PortMapperOptions,
  known: readonly PortMapping[],
  signal: AbortSignal,
): Promise<readonly PortMapping[]> {
  const { clock, ports, routers } = options
  const limited = <T>(ms: number, work: (either: AbortSignal) => Promise<T>) =>
    withDeadline(clock, ms, signal, () => new Error('no answer'), work)
  const router = await limited(FIND_MS, (either) => findRouter(options, either))
  const map = (transport: 'tcp' | 'udp') => {
    const before = known.find((one) => one.transport === transport)
    const wanted = before?.external.port ?? ports[transport]
    return limited(MAP_MS, async (either) => {
      const mapping = await router.map(transport, ports[transport], wanted, either)
      await routers.record.add(mapping)
      return mapping
    })
  }
  const results = await Promise.allSettled([map('udp'), map('tcp')])
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

function logOpened(log: Log, mappings: readonly PortMapping[]): void {
  for (const { method, transport, external } of mappings) {
    log.info('the router has opened a port', { method, transport, port: external.port })
  }
}

/** The first router that opens ports, by either protocol. It opens none yet. @throws Error when there is none, or the signal's reason */
export async function findRouter(options: RouterOptions, signal: AbortSignal): Promise<Router> {
  const others = new AbortController()
  const either = AbortSignal.any([signal, others.signal])
  try {
    return await Promise.any([findNatPmpRouter(options, either), findUpnpRouter(options, either)])
  } finally {
    others.abort(new Error('a router is found'))
  }
}
