import { BlockList, isIPv6 } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'

/** What `os.networkInterfaces` gives. */
export type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>

export type Family = 'ipv4' | 'ipv6'

/** One interface for multicast. */
export type LanInterface = {
  readonly family: Family
  /** Its name in socket calls: the address in IPv4, `::%scope` in IPv6. */
  readonly multicast: string
  /** Its networks as `address/bits`. */
  readonly networks: readonly string[]
}

/**
 * The interfaces to use: in IPv4 one for each address, in IPv6 one for each name.
 * @param wanted addresses or names; undefined = all. An address selects its own family only.
 * @param platform on Windows a scope is a number
 */
export function chooseInterfaces(
  all: NetworkInterfaces,
  wanted: readonly string[] | undefined,
  platform: NodeJS.Platform,
): readonly LanInterface[] {
  const chosen = new Map<string, LanInterface>()
  for (const [name, infos] of Object.entries(all)) {
    for (const info of infos ?? []) {
      const address = unscoped(info.address)
      if (wanted !== undefined && !wanted.some((word) => word === name || unscoped(word) === address))
        continue
      const family = info.family === 'IPv4' ? 'ipv4' : 'ipv6'
      const scope = platform === 'win32' ? scopeNumber(infos ?? []) : name
      const multicast = family === 'ipv4' ? address : `::%${scope}`
      const before = chosen.get(multicast)?.networks ?? []
      const network = `${address}/${info.cidr?.split('/')[1] ?? (family === 'ipv4' ? 32 : 128)}`
      chosen.set(multicast, { family, multicast, networks: [...before, network] })
    }
  }
  return [...chosen.values()]
}

/** Every address of this machine, without scopes. */
export function ownAddresses(all: NetworkInterfaces): ReadonlySet<string> {
  return new Set(Object.values(all).flatMap((infos) => (infos ?? []).map(({ address }) => unscoped(address))))
}

/**
 * Whether an address belongs to a network of the interfaces. Systems deliver a multicast datagram to every socket on
 * the port, regardless of the program that joined the group and of the interface.
 */
export function neighbours(interfaces: readonly LanInterface[]): (address: string) => boolean {
  const networks = new BlockList()
  const scopes = new Set(interfaces.map(({ multicast }) => scopeIn(multicast)))
  for (const { family, networks: own } of interfaces) {
    for (const network of own) {
      const [address = '', bits] = network.split('/')
      networks.addSubnet(address, Number(bits), family)
    }
  }
  return (address) => {
    const scope = scopeIn(address)
    return scope === undefined
      ? networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
      : scopes.has(scope)
  }
}

/** `fe80::1` for `fe80::1%eth0`. */
export function unscoped(address: string): string {
  return address.replace(/%.*$/, '')
}

function scopeIn(address: string): string | undefined {
  return /%(.*)$/.exec(address)?.[1]
}

/** Only link-local addresses have a scope. Loopback has none, and is the first interface there. */
function scopeNumber(infos: readonly NetworkInterfaceInfo[]): number {
  return Math.max(1, ...infos.map((info) => (info.family === 'IPv6' ? info.scopeid : 0)))
}
