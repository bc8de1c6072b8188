import { randomBytes } from 'node:crypto'
import { createConsoleLog, createSystemClock } from '@lantern-room/adapters/system'
import { openRelayListeners } from '@lantern-room/adapters/transports'
import type { Log } from '@lantern-room/base'
import { version } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { createRelay } from '@lantern-room/easytier'
import { createUdpTransport } from '@lantern-room/easytier/transport'
import { formatNodeUrl } from '@lantern-room/easytier/wire'
import { isRoomNetwork } from '@lantern-room/room/network'
import type { RelayConfig } from './config'

/** Above this number, connection requests (SYN) over UDP are ignored. */
const MAX_UDP_CONNECTIONS = 16_384

/** Lines of JSON on standard error. */
export function createRelayLog(level: RelayConfig['logLevel']): Log {
  return createConsoleLog({ level })
}

/**
 * A shared node for rooms on this machine.
 * @throws ServiceError `unavailable` when a port cannot be used
 */
export async function composeRelay(
  config: Omit<RelayConfig, 'logLevel'>,
  log: Log,
  clock: Clock = createSystemClock(),
) {
  const { host, name, ports, limits, acceptsOthers } = config
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const relay = createRelay({
    hostname: name,
    version,
    limits,
    ...(!acceptsOthers && { accepts: isRoomNetwork }),
    clock,
    randomBytes: random,
    log,
  })
  const listeners = await openRelayListeners({ host, ports, onConnection: relay.take })
  const udp =
    listeners.udp &&
    createUdpTransport({
      socket: listeners.udp,
      clock,
      randomBytes: random,
      maxConnections: MAX_UDP_CONNECTIONS,
    })
  udp?.accept(relay.take)
  return {
    urls: urlsOf(listeners),
    counters: relay.counters,
    /** Resolves when every connection is closed and every port is free. */
    async close() {
      relay.close()
      udp?.close()
      await listeners.close()
    },
  }
}

/** For ROOM_NODES of members; a transport without a listener is absent. */
function urlsOf({ address: host, ports }: Awaited<ReturnType<typeof openRelayListeners>>) {
  const urlOf = (scheme: 'tcp' | 'udp' | 'ws') => {
    const port = ports[scheme]
    return port === undefined ? undefined : formatNodeUrl({ scheme, host, port, path: '/' })
  }
  return { tcp: urlOf('tcp'), udp: urlOf('udp'), ws: urlOf('ws') }
}
