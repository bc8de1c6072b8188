import { networkInterfaces } from 'node:os'
import type { Carriers } from '../room/overlay/carriers'
import type { Clock, RoomLog } from '../room/ports'
import { fetchText } from './carriers/fetchText'
import { createLanDiscovery } from './carriers/lanDiscovery'
import { createNetworkWatch } from './carriers/networkChange'
import { isLoopbackOnly, reachableAddresses } from './carriers/ownAddresses'
import { resolveHost } from './carriers/resolve'
import { stunTcp } from './carriers/stunTcp'
import { dialTcp, listenTcp } from './carriers/tcp'
import { openUdp } from './carriers/udp'
import { dialWs } from './carriers/ws'
import type { NetworkInterfaces } from './lan/interfaces'

export type CarriersOptions = {
  /**
   * Addresses or names of the interfaces whose addresses are told to others and where rooms are looked for; undefined = all.
   * Where all of them are loopback, sockets are bound to 127.0.0.1.
   */
  readonly lanInterfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly log: RoomLog
  readonly networkInterfaces?: () => NetworkInterfaces
}

/** The network of this machine, for the overlay. */
export function createCarriers(options: CarriersOptions): Carriers {
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
