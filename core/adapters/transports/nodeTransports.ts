import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { repeat, within } from '@lantern-room/base/async'
import type { OwnMachine } from '@lantern-room/base/network'
import type { Transports } from '@lantern-room/easytier/transport'
import {
  interfaceAddresses,
  isLoopbackOnly,
  isOnSubnetOf,
  isOwnAddress,
  type NetworkInterfaces,
  ownAddresses,
  reachableAddresses,
} from '../network/networkInterfaces'
import { createMappingRecord, createRouterAccess } from '../routers/routerAccess'
import { describeSocketError } from './describeSocketError'
import { createFetchText, createPortalProbe } from './fetchText'
import { EVERY_HOST, listenTcp } from './listenTcp'
import { createLanDiscovery } from './mdns/lanDiscovery'
import { openUdp, openUdpOnBoth } from './openUdp'
import { dialTcp, stunTcp } from './tcpConnection'
import { dialWs } from './wsConnection'

/** For a name server to answer. */
const RESOLVE_MS = 5000

/**
 * The sockets, names and interfaces of this machine, as the network uses them.
 * @returns transports whose calls throw what the type `Transports` says
 * @example const transports = createNodeTransports({ lanInterfaces: undefined, clock: createSystemClock(), log })
 */
export function createNodeTransports(options: {
  /**
   * Addresses or names of the interfaces to use for LAN discovery, whose addresses other members get; undefined = all. When all of
   * them are loopback, sockets are bound to 127.0.0.1.
   */
  readonly lanInterfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly log: Log
  /** Path of the file where open ports of routers are recorded. @default none; no router is asked for ports then */
  readonly portsFile?: string | undefined
  /** Reads the interfaces, again and again. @default `networkInterfaces` of `node:os` */
  readonly networkInterfaces?: () => NetworkInterfaces
}): Transports {
  const { lanInterfaces, clock, log, networkInterfaces: scan = networkInterfaces } = options
  const isLoopback = isLoopbackOnly(scan(), lanInterfaces)
  /** Nothing of this machine's loopback is opened to the outside. */
  const portsFile = isLoopback ? undefined : options.portsFile
  const record = portsFile === undefined ? undefined : createMappingRecord(portsFile, log)
  const resolve = (host: string, signal: AbortSignal) => resolveHost(host, signal, clock)
  const machine: OwnMachine = {
    isOwnAddress: (address) => isOwnAddress(address, ownAddresses(scan())),
    isOwnName: (name) => name.toLowerCase() === hostname().toLowerCase(),
    isOnOwnSubnet: (address) => isOnSubnetOf(scan(), lanInterfaces, address),
  }
  return {
    resolve,
    dialTcp,
    dialWs,
    listenTcp: (port, onConnection, signal) =>
      listenTcp(isLoopback ? ['127.0.0.1'] : EVERY_HOST, port, onConnection, signal),
    async openUdp(port, families = 'ipv4') {
      if (isLoopback) return openUdp('127.0.0.1', port)
      return families === 'both' ? openUdpOnBoth(port) : openUdp('0.0.0.0', port)
    },
    fetchText: createFetchText({ resolve, machine }),
    isBehindPortal: createPortalProbe({ resolve, machine }),
    interfaceAddresses: () => reachableAddresses(scan(), lanInterfaces),
    machine,
    onNetworkChange: watchNetwork(clock, scan),
    lan: createLanDiscovery({ interfaces: lanInterfaces, clock, log, scan }),
    stunTcp,
    routers: record && createRouterAccess({ networkInterfaces: scan, record }),
  }
}

/**
 * The addresses of a host, IPv4 first; a literal address at once.
 * @throws Error in a few words when there is none or no name server answers in 5 s, or the signal's reason
 */
async function resolveHost(host: string, signal: AbortSignal, clock: Clock): Promise<readonly string[]> {
  signal.throwIfAborted()
  if (isIP(host) !== 0) return [host]
  // The system's resolver cannot be stopped: a late answer is dropped.
  const late = () => new Error('no answer from the name server')
  return within(clock, RESOLVE_MS, addressesOf(host), late, signal)
}

async function addressesOf(host: string): Promise<readonly string[]> {
  try {
    const found = await lookup(host, { all: true })
    const inOrder = found.toSorted((one, other) => one.family - other.family)
    return [...new Set(inOrder.map(({ address }) => address))]
  } catch (error) {
    throw describeSocketError(error)
  }
}

const SCAN_EVERY_MS = 2000
/** When the wall clock has advanced by so much more than the timer was set to, the machine was asleep. */
const SLEPT_MS = 10_000

/**
 * Polls the interfaces and the clock: Node has no events for either.
 * @returns a function that subscribes, and returns one that unsubscribes
 */
function watchNetwork(clock: Clock, scan: () => NetworkInterfaces): Transports['onNetworkChange'] {
  return (listener) => {
    let last: { readonly interfaces: string; readonly at: number } | undefined
    return repeat(clock, SCAN_EVERY_MS, new AbortController().signal, () => {
      const before = last
      last = { interfaces: fingerprint(scan()), at: clock.unixTime() }
      const hasSlept = before && last.at - before.at > SCAN_EVERY_MS + SLEPT_MS
      if (before && (hasSlept || last.interfaces !== before.interfaces)) listener()
    })
  }
}

/** Without loopback, which does not change what other machines can reach. */
function fingerprint(all: NetworkInterfaces): string {
  return interfaceAddresses(all)
    .filter(({ info }) => !info.internal)
    .map(({ name, info: { cidr, address } }) => `${name} ${cidr ?? address}`)
    .sort()
    .join('\n')
}
