import ipaddr from 'ipaddr.js'

/**
 * Blocks in which no address belongs to a machine that another one could reach: "this network", loopback, link-local,
 * multicast, reserved.
 */
const UNREACHABLE_IPV4 = ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/3'].map((block) =>
  ipaddr.IPv4.parseCIDR(block),
)

/** All of IPv6 that is assigned as addresses of the internet (RFC 4291, 2.4). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

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

/** Whether an IPv4 address in dotted form is one of the internet, which no private network and no provider's own router has. */
export function isPublicIpv4(address: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(address) && ipaddr.IPv4.parse(address).range() === 'unicast'
}

/** Whether an IP address is one of the internet. Embedded ones are not: they may lead into a private network. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv6.isValid(address)) return isPublicIpv4(address)
  return isReachableAddress(address) && !isSiteAddress(address)
}

/**
 * Whether an IP address may belong to a single machine that others can reach; addresses of a site may. In IPv6 neither
 * mapped nor otherwise embedded IPv4 is.
 */
export function isReachableAddress(address: string): boolean {
  if (!ipaddr.IPv6.isValid(address)) return isReachableIpv4(address)
  const parsed = ipaddr.IPv6.parse(address)
  const range = parsed.range()
  const isGlobal = range === 'unicast' && parsed.match(GLOBAL_IPV6)
  return !address.includes('%') && (isGlobal || range === 'uniqueLocal')
}

/** 10/8, 172.16/12, 192.168/16, fc00::/7: addresses of one site's own network (RFC 1918, RFC 4193). */
export function isSiteAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const range = ipaddr.parse(address).range()
  return range === 'private' || range === 'uniqueLocal'
}

/** @param cidr `192.168.1.7/24`. False for anything that is not an IP address, and for another family's. */
export function isInSubnet(address: string, cidr: string): boolean {
  if (!ipaddr.isValid(address) || !ipaddr.isValidCIDR(cidr)) return false
  const [subnet, bits] = ipaddr.parseCIDR(cidr)
  const parsed = ipaddr.parse(address)
  return parsed.kind() === subnet.kind() && parsed.match(subnet, bits)
}

/** The broadcast address of an IPv4 network. @param cidr `192.168.1.7/24` */
export function broadcastOf(cidr: string): string {
  return ipaddr.IPv4.broadcastAddressFromCIDR(cidr).toString()
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
