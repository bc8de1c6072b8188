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

/**
 * Whether an IP address is in 127.0.0.0/8, or is ::1.
 * @returns false for anything that is not an IP address, such as a host name
 * @example isLoopbackAddress('127.0.0.53') // true
 */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback'
}

/**
 * Whether an address is in fe80::/10, with or without a zone: such addresses are valid on one link only.
 * @returns false for anything that is not an IPv6 address
 * @example isLinkLocalIpv6('fe80::1%eth0') // true
 */
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
 * Whether an IPv4 address in dotted form is one of the internet, which no private network and no provider's own router has.
 * @returns false for anything else, also for an IPv6 address
 * @example isPublicIpv4('100.64.0.1') // false: shared by the customers of a provider (RFC 6598)
 */
export function isPublicIpv4(address: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(address) && ipaddr.IPv4.parse(address).range() === 'unicast'
}

/**
 * Whether an IP address is one of the internet. Embedded ones are not: they may lead into a private network.
 * @returns false for anything that is not an IP address
 * @example isPublicAddress('::ffff:8.8.8.8') // false
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv6.isValid(address)) return isPublicIpv4(address)
  return isReachableAddress(address) && !isSiteAddress(address)
}

/**
 * Whether an IP address may belong to a single machine that others can reach; addresses of a site may. In IPv6 neither
 * mapped nor otherwise embedded IPv4 is.
 * @returns false for anything that is not an IP address, and for one with a zone
 * @example isReachableAddress('192.168.1.7') // true; '224.0.2.60' is a group, and gives false
 */
export function isReachableAddress(address: string): boolean {
  if (!ipaddr.IPv6.isValid(address)) return isReachableIpv4(address)
  const parsed = ipaddr.IPv6.parse(address)
  const range = parsed.range()
  const isGlobal = range === 'unicast' && parsed.match(GLOBAL_IPV6)
  return !address.includes('%') && (isGlobal || range === 'uniqueLocal')
}

/**
 * Whether an IP address is one of a site's own network: 10/8, 172.16/12, 192.168/16, fc00::/7 (RFC 1918, RFC 4193).
 * @returns false for anything that is not an IP address
 * @example isSiteAddress('192.168.1.7') // true
 */
export function isSiteAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const range = ipaddr.parse(address).range()
  return range === 'private' || range === 'uniqueLocal'
}

/**
 * Whether an IP address lies in a subnet.
 * @param cidr an address of the subnet and how many bits are the subnet's, such as `192.168.1.7/24`
 * @returns false for anything that is not an IP address, and for another family's
 * @example isInSubnet('192.168.1.20', '192.168.1.7/24') // true
 */
export function isInSubnet(address: string, cidr: string): boolean {
  if (!ipaddr.isValid(address) || !ipaddr.isValidCIDR(cidr)) return false
  const [subnet, bits] = ipaddr.parseCIDR(cidr)
  const parsed = ipaddr.parse(address)
  return parsed.kind() === subnet.kind() && parsed.match(subnet, bits)
}

/**
 * The network of one machine: an IPv4 address itself (also one that is mapped into IPv6), the /64 of an IPv6 address.
 * @returns undefined for anything that is not an IP address
 * @example networkOfAddress('2001:db8:1:2:3:4:5:6') // '2001:db8:1:2::/64'
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

/** What an address stands for, as far as it matters before a connection is made to it. */
export type AddressKind =
  /** Of the internet. */
  | 'public'
  /** Of one site's own network (RFC 1918, RFC 4193), or of a provider's (RFC 6598), which VPNs use, too. */
  | 'private'
  | 'loopback'
  /** `0.0.0.0` and its block, `::`: systems connect to themselves. */
  | 'unspecified'
  /** Of one link, where the services of clouds that tell secrets are, too. */
  | 'link-local'
  | 'multicast'
  /** Reserved, and the broadcast address. */
  | 'reserved'

/** The blocks of IPv4 that are not of the internet. 198.18.0.0/15 is left out: proxies answer every name with one of its addresses. */
const IPV4_KINDS = (
  [
    ['0.0.0.0/8', 'unspecified'],
    ['10.0.0.0/8', 'private'],
    ['100.64.0.0/10', 'private'],
    ['127.0.0.0/8', 'loopback'],
    ['169.254.0.0/16', 'link-local'],
    ['172.16.0.0/12', 'private'],
    ['192.0.0.0/24', 'reserved'],
    ['192.168.0.0/16', 'private'],
    ['224.0.0.0/4', 'multicast'],
    ['240.0.0.0/4', 'reserved'],
  ] as const
).map(([block, kind]) => [ipaddr.IPv4.parseCIDR(block), kind] as const)

const IPV6_KINDS = (
  [
    ['::/128', 'unspecified'],
    ['::1/128', 'loopback'],
    ['fc00::/7', 'private'],
    ['fe80::/10', 'link-local'],
    ['ff00::/8', 'multicast'],
    ['2000::/3', 'public'],
  ] as const
).map(([block, kind]) => [ipaddr.IPv6.parseCIDR(block), kind] as const)

/**
 * Blocks of IPv6 whose addresses lead to an address of IPv4, and the 16-bit parts at which its two halves are: IPv4-compatible
 * (RFC 4291), mapped, translated (RFC 2765), NAT64 (RFC 6052, RFC 8215), 6to4 (RFC 3056). A NAT64 of a site may have its own place for them.
 */
const EMBEDDING = (
  [
    ['::/96', 6, 7],
    ['::ffff:0:0/96', 6, 7],
    ['::ffff:0:0:0/96', 6, 7],
    ['64:ff9b::/96', 6, 7],
    ['64:ff9b:1::/48', 6, 7],
    ['64:ff9b:1::/48', 3, 4],
    ['2002::/16', 1, 2],
    ['2001::/32', 2, 3],
  ] as const
).map(([block, high, low]) => ({ block: ipaddr.IPv6.parseCIDR(block), high, low }))

/** From the most harmless on. */
const BY_DANGER: readonly AddressKind[] = [
  'public',
  'private',
  'reserved',
  'multicast',
  'link-local',
  'unspecified',
  'loopback',
]

/**
 * What an address is; of one that embeds an address of IPv4, the more dangerous of both.
 * @returns undefined for anything but an IP address in its usual form
 */
export function kindOfAddress(address: string): AddressKind | undefined {
  const plain = address.replace(/%.*$/, '')
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return kindOfIpv4(ipaddr.IPv4.parse(plain))
  if (!ipaddr.IPv6.isValid(plain)) return undefined
  const parsed = ipaddr.IPv6.parse(plain)
  const own = IPV6_KINDS.find(([block]) => parsed.match(block))?.[1]
  if (own === 'unspecified' || own === 'loopback') return own
  const inner = embeddedIpv4(parsed).map(kindOfIpv4)
  // The blocks of NAT64 and of mapped addresses are of no kind themselves.
  const kinds = own === undefined ? inner : [own, ...inner]
  if (kinds.length === 0) return 'reserved'
  return BY_DANGER.findLast((kind) => kinds.includes(kind))
}

function kindOfIpv4(parsed: ipaddr.IPv4): AddressKind {
  return IPV4_KINDS.find(([block]) => parsed.match(block))?.[1] ?? 'public'
}

function embeddedIpv4(parsed: ipaddr.IPv6): readonly ipaddr.IPv4[] {
  const { parts } = parsed
  const at = (high: number, low: number, mask = 0) => {
    const numbers = [parts[high] ?? 0, parts[low] ?? 0].map((part) => part ^ mask)
    return new ipaddr.IPv4(numbers.flatMap((part) => [part >> 8, part & 255]))
  }
  const found = EMBEDDING.filter(({ block }) => parsed.match(block)).map(({ high, low }) => at(high, low))
  // Teredo (RFC 4380) inverts the address of the client; ISATAP (RFC 5214) has it behind a mark.
  if (parsed.range() === 'teredo') found.push(at(6, 7, 0xffff))
  const isIsatap = ((parts[4] ?? 0) & ~0x200) === 0 && parts[5] === 0x5efe
  return isIsatap ? [...found, at(6, 7)] : found
}
