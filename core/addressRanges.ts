import ipaddr from 'ipaddr.js'

/**
 * Blocks in which no address belongs to a machine that another one could reach: "this network", loopback, link-local,
 * multicast, reserved.
 */
const UNREACHABLE_IPV4 = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map((block) =>
  ipaddr.IPv4.parseCIDR(block),
)

/** 127.0.0.0/8 or ::1. False for anything that is not an IP address. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

/** fe80::/10, with or without a zone: addresses that are valid on one link only. */
export function isLinkLocalIpv6(address: string): boolean {
  return ipaddr.IPv6.isValid(address) && ipaddr.IPv6.parse(address).range() === 'linkLocal'
}

/**
 * Whether an IPv4 address in dotted form may belong to a single machine that others can reach; private addresses may.
 */
export function isReachableIpv4(address: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address)) return false
  const parsed = ipaddr.IPv4.parse(address)
  return !UNREACHABLE_IPV4.some((block) => parsed.match(block))
}

/**
 * The network of one machine: an IPv4 address itself (also one that is mapped into IPv6), the /64 of an IPv6 address.
 * @returns undefined for anything that is not an IP address
 */
export function networkOfAddress(address: string): string | undefined {
  if (!ipaddr.isValid(address)) return undefined
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
}
