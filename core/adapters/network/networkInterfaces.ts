import { isIPv4 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { isInSubnet, isLinkLocalIpv6, isLoopbackAddress } from '@lantern-room/base/network'

/** The interfaces of a machine, as `networkInterfaces` of `node:os` gives them. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

/** What the parts that send and receive on the LAN are given. */
export type LanOptions = {
  readonly clock: Clock
  readonly log: Log
  /** Addresses or names of the interfaces to use; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  /** Reads the interfaces, again and again. @default `networkInterfaces` of `node:os` */
  readonly networkInterfaces?: () => NetworkInterfaces
}

/** How often to scan while sockets depend on it: interfaces come and go with cables, VPNs and sleep. */
export const RESCAN_MS = 5000

/**
 * The addresses of the interfaces, without zones, with the names of the interfaces.
 * @param wanted addresses or names of interfaces; undefined = all
 */
export function interfaceAddresses(all: NetworkInterfaces, wanted?: readonly string[]) {
  const addresses = Object.entries(all).flatMap(([name, infos]) =>
    (infos ?? []).map((info) => ({ name, address: withoutZone(info.address), info })),
  )
  if (wanted === undefined) return addresses
  return addresses.filter(({ name, address }) =>
    wanted.some((word) => word === name || withoutZone(word) === address),
  )
}

/** Every address of this machine, without zones. */
export function ownAddresses(all: NetworkInterfaces): ReadonlySet<string> {
  return new Set(interfaceAddresses(all).map(({ address }) => address))
}

/** Whether an address is one of this machine's. @param own `ownAddresses`; loopback needs not be among them */
export function isOwnAddress(address: string, own: ReadonlySet<string>): boolean {
  const plain = withoutZone(address)
  return isLoopbackAddress(plain) || own.has(plain)
}

/** Whether an address lies in a subnet of those that `reachableAddresses` lists. */
export function isOnSubnetOf(
  all: NetworkInterfaces,
  wanted: readonly string[] | undefined,
  address: string,
): boolean {
  return reachableInterfaces(all, wanted).some(
    ({ info }) => info.cidr !== null && isInSubnet(address, info.cidr),
  )
}

function reachableInterfaces(all: NetworkInterfaces, wanted: readonly string[] | undefined) {
  const chosen = interfaceAddresses(all, wanted)
  const reachable = chosen.filter(({ address, info }) => !info.internal && !isLinkLocalIpv6(address))
  return reachable.length > 0 ? reachable : chosen.filter(({ info }) => info.internal)
}

/**
 * The addresses that other machines may reach, IPv4 first; loopback only where there is nothing else.
 * @param wanted addresses or names of interfaces; undefined = all
 * @example reachableAddresses(networkInterfaces(), undefined) // ['192.168.1.7', '2001:db8::7']
 */
export function reachableAddresses(
  all: NetworkInterfaces,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const addresses = reachableInterfaces(all, wanted).map(({ address }) => address)
  return [...new Set(addresses)].sort((one, other) => Number(isIPv4(other)) - Number(isIPv4(one)))
}

/**
 * Whether only loopback may be used, so that nothing is visible outside this machine.
 * @param wanted addresses or names of interfaces; undefined = all, and so is none
 * @example isLoopbackOnly(networkInterfaces(), ['127.0.0.1']) // true
 */
export function isLoopbackOnly(all: NetworkInterfaces, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0) return false
  return wanted.every((word) => all[word]?.every(({ internal }) => internal) ?? isLoopbackAddress(word))
}

/** `fe80::1` for `fe80::1%eth0`. */
export function withoutZone(address: string): string {
  return address.replace(/%.*$/, '')
}
