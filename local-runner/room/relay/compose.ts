import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { createConsoleLog } from '#core/adapters/system/consoleLog'
import { defaultDataFolder } from '#core/adapters/system/machineIdentity'
import { createSystemClock } from '#core/adapters/system/systemClock'
import { openRelayListeners } from '#core/adapters/transports/relayListeners'
import type { Clock } from '#core/async/clock'
import { version } from '#core/build'
import { createRelay, type RelayCounters } from '#core/easytier/relay/relay'
import { createUdpTransport } from '#core/easytier/transport/udpTransport'
import { formatNodeUrl, type UrlScheme } from '#core/easytier/wire/socketAddress'
import type { Log } from '#core/log'
import { isRoomNetwork } from '#core/room/network/networkIdentity'
import { serveMetrics } from '../../serveMetrics'
import { openCertificateFiles } from './certificate'
import type { RelayConfig } from './config'
import { openKeptQuota } from './keptQuota'
import { relayHealth, relayStatus, renderMetrics } from './metrics'

export type RunningRelay = {
  /** For ROOM_NODES of members, without the password; a transport without a listener is absent. */
  readonly urls: { readonly tcp?: string; readonly udp?: string; readonly ws?: string }
  /** Where `/metrics` and `/health` are, if they are served. */
  readonly metricsUrl: string | undefined
  counters(): RelayCounters
  /** Resolves when every connection is closed and every port is free. */
  close(): Promise<void>
}

/** Above this number, connection requests (SYN) over UDP are ignored. */
const MAX_UDP_CONNECTIONS = 16_384

/** Lines of JSON on standard error. */
export function createRelayLog(level: RelayConfig['logLevel']): Log {
  return createConsoleLog({ level, write: (line) => process.stderr.write(line) })
}

/**
 * A shared node for rooms on this machine.
 * @throws ServiceError `unavailable` when a port or the folder of the quota cannot be used
 */
export async function composeRelay(
  config: Omit<RelayConfig, 'logLevel'>,
  log: Log,
  clock: Clock = createSystemClock(),
): Promise<RunningRelay> {
  const { host, name, ports, limits, quota, acceptsOthers, metricsPort } = config
  const random = (size: number) => new Uint8Array(randomBytes(size))
  const kept =
    quota && (await openKeptQuota({ folder: folderOf(quota), name, bytes: quota.bytes }, { clock, log }))
  const certificate =
    config.certificate &&
    (await openCertificateFiles(config.certificate, { clock, log }).catch(async (error: unknown) => {
      await kept?.close()
      throw error
    }))
  const relay = createRelay({
    hostname: name,
    version,
    limits,
    quota: kept?.quota,
    ...(!acceptsOthers && { accepts: isRoomNetwork }),
    clock,
    randomBytes: random,
    log,
  })
  const { metrics, listeners } = await open().catch(async (error: unknown) => {
    certificate?.close()
    await kept?.close()
    throw error
  })
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
    urls: { ...urlOf('tcp'), ...urlOf('udp'), ...urlOf('ws') },
    metricsUrl: metrics?.url,
    counters: relay.counters,
    async close() {
      relay.close()
      certificate?.close()
      await metrics?.close()
      udp?.close()
      await listeners.close()
      await kept?.close()
    },
  }

  async function open() {
    const metrics =
      metricsPort === undefined
        ? undefined
        : await serveMetrics(
            { port: metricsPort, name: 'ROOM_RELAY_METRICS_PORT' },
            {
              metrics: () => renderMetrics(relay.counters(), kept?.quota),
              health: () => relayHealth(kept?.quota),
            },
          )
    const opening = openRelayListeners({
      host,
      ports,
      onConnection: relay.take,
      certificate,
      secretPath: config.password === undefined ? undefined : `/${config.password}`,
      health: () => relayStatus(kept?.quota),
    })
    const listeners = await opening.catch(async (error: unknown) => {
      await metrics?.close()
      throw error
    })
    return { metrics, listeners }
  }

  function urlOf(scheme: Exclude<UrlScheme, 'wss'>) {
    const port = listeners.ports[scheme]
    if (port === undefined) return {}
    const shown = scheme === 'ws' && certificate ? 'wss' : scheme
    return { [scheme]: formatNodeUrl({ scheme: shown, host: listeners.address, port, path: '/' }) }
  }
}

function folderOf({ dataDir }: { readonly dataDir: string | undefined }): string {
  return resolve(dataDir ?? defaultDataFolder(process.env))
}
