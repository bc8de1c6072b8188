import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/clock'
import type { Transports } from '#core/easytier/transport/transports'
import type { Log } from '#core/log'
import type { NetworkInterfaces } from '../lan/interfaces'
import { fetchText } from './fetchText'
import { createLanDiscovery } from './lanDiscovery'
import { createNetworkWatch } from './networkWatch'
import { isLoopbackOnly, reachableAddresses } from './reachableAddresses'
import { resolveHost } from './resolveHost'
import { stunTcp } from './stunTcp'
import { dialTcp, listenTcp } from './tcpTransport'
import { openUdp } from './udpSocket'
import { dialWs } from './wsTransport'

export type NodeTransportsOptions = {
  /**
   * Addresses or names of the interfaces whose addresses are published to members and on which rooms are searched
   * for; undefined = all. If all of them are loopback, sockets are bound to 127.0.0.1.
   */
  readonly lanInterfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly log: Log
  readonly networkInterfaces?: () => NetworkInterfaces
}

/** The transports of this machine. */
export function createNodeTransports(options: NodeTransportsOptions): Transports {
  const { lanInterfaces, clock, log, networkInterfaces: scan = networkInterfaces } = options
  const isLoopback = isLoopbackOnly(scan(), lanInterfaces)
  return {
    resolve: (host, signal) => resolveHost(host, signal, clock),
    dialTcp,
    dialWs,
    listenTcp: (port, onLink, signal) => listenTcp(port, onLink, signal, isLoopback),
    openUdp: (port) => openUdp(port, isLoopback),
    fetchText,
    interfaceAddresses: () => reachableAddresses(scan(), lanInterfaces),
    onNetworkChange: createNetworkWatch(clock, scan).onChange,
    lan: createLanDiscovery({ interfaces: lanInterfaces, clock, log, scan }),
    stunTcp,
  }
}
