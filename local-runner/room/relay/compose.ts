import { randomBytes } from 'node:crypto'
import { createConsoleLog } from '../../../core/adapters/consoleLog'
import { openRelayListeners } from '../../../core/adapters/relayListeners'
import { createSystemClock } from '../../../core/adapters/systemClock'
import { version } from '../../../core/build'
import { createUdpEndpoint } from '../../../core/room/overlay/links/udpEndpoint'
import { createRelay, type RelayCounters } from '../../../core/room/overlay/relay/relay'
import { type Carrier, formatNodeUrl } from '../../../core/room/overlay/wire/socketAddr'
import type { RoomLog } from '../../../core/room/ports'
import type { RelayConfig } from '../../../core/room/relayConfig'

export type RunningRelay = {
  /** For ROOM_NODES of members; one that does not listen is absent. */
  readonly urls: { readonly tcp?: string; readonly udp?: string; readonly ws?: string }
  counters(): RelayCounters
  /** Resolves when every link is closed and every port free. */
  close(): Promise<void>
}

/** Beyond so many associations, a Syn is passed over. */
const MAX_UDP_LINKS = 16_384

/** Lines of JSON on standard error. */
export function createRelayLog(level: RelayConfig['logLevel']): RoomLog {
  return createConsoleLog({ level, write: (line) => process.stderr.write(line) })
}

/**
 * A shared node for rooms on this machine.
 * @throws ServiceError `unavailable` when a port cannot be used
 */
export async function composeRelay(
  { host, name, ports, limits }: Omit<RelayConfig, 'logLevel'>,
  log: RoomLog,
): Promise<RunningRelay> {
  const clock = createSystemClock()
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const relay = createRelay({ hostname: name, version, limits, clock, randomBytes: random, log })
  const listeners = await openRelayListeners({ host, ports, onLink: relay.take })
  const udp =
    listeners.udp &&
    createUdpEndpoint({ socket: listeners.udp, clock, randomBytes: random, maxLinks: MAX_UDP_LINKS })
  udp?.accept(relay.take)
  return {
    urls: { ...urlOf('tcp'), ...urlOf('udp'), ...urlOf('ws') },
    counters: relay.counters,
    async close() {
      relay.close()
      udp?.close()
      await listeners.close()
    },
  }

  function urlOf(carrier: Exclude<Carrier, 'wss'>) {
    const port = listeners.ports[carrier]
    if (port === undefined) return {}
    return { [carrier]: formatNodeUrl({ carrier, host: listeners.address, port, path: '/' }) }
  }
}
