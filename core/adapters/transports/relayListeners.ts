import { networkInterfaces } from 'node:os'
import { ServiceError, systemCode } from '@lantern-room/base'
import type { Connection } from '@lantern-room/easytier/transport'
import { reachableAddresses } from '../network/networkInterfaces'
import { EVERY_HOST, listenTcp } from './listenTcp'
import { listenWs } from './listenWs'
import { openUdp, openUdpOnBoth } from './openUdp'

/** 0 = any free port, undefined = no such listener. */
type RelayPorts = Readonly<Record<'tcp' | 'udp' | 'ws', number | undefined>>

/**
 * The listeners of a shared node.
 * @param options.host undefined = all addresses
 * @param options.ports 0 = any free port; undefined = no listener of this transport
 * @param options.onConnection gets those by TCP and WebSocket; the connections over UDP are made of `udp`
 * @throws ServiceError `unavailable` that names the setting of the port or of the host; then nothing is open
 * @example
 * const ports = { tcp: 11_010, udp: 11_010, ws: 11_011 }
 * const listeners = await openRelayListeners({ host: undefined, ports, onConnection: relay.take })
 */
export async function openRelayListeners(options: {
  readonly host: string | undefined
  readonly ports: RelayPorts
  readonly onConnection: (connection: Connection) => void
}) {
  const { host, ports, onConnection } = options
  const stopping = new AbortController()
  const hosts = host === undefined ? EVERY_HOST : [host]
  const { signal } = stopping
  const opened: { readonly closed: Promise<void>; close?(): void }[] = []
  const close = async () => {
    stopping.abort(new Error('the relay stops'))
    for (const one of opened) one.close?.()
    await Promise.all(opened.map(({ closed }) => closed))
  }
  try {
    const tcp = await open('tcp', (port) => listenTcp(hosts, port, onConnection, signal))
    const udp = await open('udp', (port) => (host === undefined ? openUdpOnBoth(port) : openUdp(host, port)))
    const ws = await open('ws', (port) => listenWs(hosts, port, onConnection, signal))
    const isEvery = host === undefined || EVERY_HOST.includes(host)
    return {
      /** The addresses for members, as far as this machine knows its own. */
      address: isEvery ? (reachableAddresses(networkInterfaces(), undefined)[0] ?? '127.0.0.1') : host,
      ports: { tcp: tcp?.port, udp: udp?.port, ws: ws?.port },
      udp,
      /** Accepts no more connections; resolves when the ports are free. Accepted connections stay open, except those over UDP. */
      close,
    }
  } catch (error) {
    await close()
    throw error
  }

  async function open<T extends (typeof opened)[number]>(
    transport: keyof RelayPorts,
    start: (port: number) => Promise<T>,
  ): Promise<T | undefined> {
    const port = ports[transport]
    if (port === undefined) return undefined
    try {
      const listener = await start(port)
      opened.push(listener)
      return listener
    } catch (cause) {
      const detail = isWrongHost(cause)
        ? `This machine has no address ${host}: set ROOM_RELAY_HOST to one that it has, or leave it unset for all.`
        : problemOf(transport, port, cause)
      throw new ServiceError('unavailable', detail, { cause })
    }
  }

  function problemOf(transport: keyof RelayPorts, port: number, cause: unknown): string {
    const problem = cause instanceof Error ? cause.message : String(cause)
    const where = host === undefined ? `port ${port}` : `port ${port} on ${host}`
    const setting = `ROOM_RELAY_${transport.toUpperCase()}_PORT`
    return `The ${transport} ${where} cannot be used (${problem}): stop the program that uses it, or set ${setting} to another one.`
  }
}

function isWrongHost(error: unknown): boolean {
  return error instanceof Error && systemCode(error.cause) === 'EADDRNOTAVAIL'
}
