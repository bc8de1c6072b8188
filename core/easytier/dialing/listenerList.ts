import { isReachableAddress, isSiteAddress } from '@lantern-room/base/network'
import type { PortMapping } from '@lantern-room/routers'
import { formatIpv4, formatIpv6, parseIpv4, parseIpv6 } from '../wire/addresses'
import { rpcMethods } from '../wire/messages'
import { type Endpoint, formatEndpoint, type NodeUrl, parseNodeUrl, toParts } from '../wire/socketAddress'

/** The listeners that a member tells others: the answer to `GetIpList`. */

const MAX_LISTENERS = 16
/** The limit for each address family. */
const MAX_ADDRESSES = 16

/** How others reach this machine, as far as it is known. */
export type OwnReach = {
  /** Those of our listeners; undefined while there are none. */
  readonly ports: { readonly tcp: number; readonly udp: number } | undefined
  /** The address that STUN servers report. */
  readonly publicIpv4: string | undefined
  /** The public address of our UDP socket by IPv6. */
  readonly publicIpv6: Endpoint | undefined
  /** The public address of our UDP socket; undefined where the router gives every destination another one. */
  readonly publicSocket: Endpoint | undefined
  /** Ports of our router that lead to our listeners. */
  readonly mappings: readonly PortMapping[]
}

/** @param addresses of this machine */
export function encodeListenerList(
  own: Omit<OwnReach, 'publicSocket'>,
  addresses: readonly string[],
): Uint8Array {
  const { ports, publicIpv4, mappings } = own
  const { response } = rpcMethods.getIpList
  const publicAddr = parseIpv4(publicIpv4 ?? '')
  const known = publicAddr === undefined ? {} : { publicIpv4: { addr: publicAddr } }
  if (!ports) return response.encode({ interfaceIpv4s: [], interfaceIpv6s: [], listeners: [], ...known })
  const ipv6 = reachableIpv6(addresses)
  const publicIpv6 = own.publicIpv6?.address ?? ipv6.find((address) => !isSiteAddress(address))
  const hosts = ipv6.length > 0 ? ['0.0.0.0', '[::]'] : ['0.0.0.0']
  return response.encode({
    interfaceIpv4s: addresses
      .flatMap((address) => {
        const addr = parseIpv4(address)
        return addr === undefined ? [] : { addr }
      })
      .slice(0, MAX_ADDRESSES),
    interfaceIpv6s: ipv6.map(ipv6Addr),
    listeners: [
      ...hosts.flatMap((host) => [
        { url: `udp://${host}:${ports.udp}` },
        { url: `tcp://${host}:${ports.tcp}` },
      ]),
      ...mappings.map(({ transport, external }) => ({ url: `${transport}://${formatEndpoint(external)}` })),
    ],
    ...known,
    ...(publicIpv6 === undefined ? {} : { publicIpv6: ipv6Addr(publicIpv6) }),
  })
}

/**
 * The listeners in a member's answer: `0.0.0.0` stands for each of its IPv4 addresses, `[::]` for each of its IPv6
 * addresses. Unsupported schemes are left out.
 */
export function readListeners(bytes: Uint8Array): readonly NodeUrl[] {
  const list = rpcMethods.getIpList.response.decode(bytes)
  if (!list) return []
  const ipv4 = [...(list.publicIpv4 ? [list.publicIpv4] : []), ...list.interfaceIpv4s]
    .slice(0, MAX_ADDRESSES)
    .map(({ addr }) => formatIpv4(addr))
  const ipv6 = [...(list.publicIpv6 ? [list.publicIpv6] : []), ...list.interfaceIpv6s]
    .slice(0, MAX_ADDRESSES)
    .map(({ part1, part2, part3, part4 }) => formatIpv6([part1, part2, part3, part4]))
  const urls = list.listeners.slice(0, MAX_LISTENERS).flatMap(({ url }) => {
    const listener = parseNodeUrl(url)
    if (!listener || listener.scheme === 'ws' || listener.scheme === 'wss') return []
    if (listener.host === '0.0.0.0') return ipv4.map((host) => ({ ...listener, host }))
    if (isEveryIpv6(listener.host)) return ipv6.map((host) => ({ ...listener, host }))
    return [listener]
  })
  const known = new Set<string>()
  return urls.filter(({ scheme, host, port }) => {
    const key = `${scheme} ${host} ${port}`
    return !known.has(key) && known.add(key)
  })
}

/** Stable and temporary ones; those that hold on one link only are of no use to others. */
export function reachableIpv6(addresses: readonly string[]): readonly string[] {
  return addresses
    .filter((address) => address.includes(':') && isReachableAddress(address))
    .slice(0, MAX_ADDRESSES)
}

/** However its zeros are written. */
function isEveryIpv6(host: string): boolean {
  return parseIpv6(host)?.every((part) => part === 0) ?? false
}

function ipv6Addr(address: string) {
  return toParts(parseIpv6(address) ?? [0, 0, 0, 0])
}
