import type { PortMapping } from '../transport/transports'
import type { NatInfo } from './natObserver'
import { natTypes } from './natType'

/** How every other member can reach this machine without hole punching. */
export type PublicReach = 'public-address' | 'mapped-port' | 'public-ipv6'

/**
 * A router with IPv6 may let in only what was asked for from inside; members ask each other for that.
 * @param info what STUN servers have seen
 * @param mappings ports of the router that others can reach
 * @param ownAddresses of the machine's interfaces
 * @returns undefined when others need help to reach it
 */
export function publicReach(
  info: NatInfo,
  mappings: readonly PortMapping[],
  ownAddresses: readonly string[],
): PublicReach | undefined {
  if (info.udp === natTypes.openInternet) return 'public-address'
  if (mappings.length > 0) return 'mapped-port'
  const { mappedIpv6 } = info
  return mappedIpv6 && ownAddresses.includes(mappedIpv6.address) ? 'public-ipv6' : undefined
}
