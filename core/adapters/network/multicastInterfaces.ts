import type { NetworkInterfaceInfo } from 'node:os'
import type { Log } from '@lantern-room/base'
import { systemCode } from '@lantern-room/base'
import { isInSubnet } from '@lantern-room/base/network'
import { interfaceAddresses, type NetworkInterfaces } from './networkInterfaces'

export type Family = 'ipv4' | 'ipv6'

const ADDRESS_BITS: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 }

/** One interface that can send multicast. */
export type MulticastInterface = {
  readonly family: Family
  /** How socket calls name it: its address in IPv4, `::%zone` in IPv6. */
  readonly multicast: string
  /** Its networks as `address/bits`. */
  readonly networks: readonly string[]
}

/**
 * The interfaces to use: in IPv4 one for each address, in IPv6 one for each name.
 * @param wanted addresses or names; undefined = all. An address selects its own family only.
 * @param platform on Windows a zone is a number
 */
export function multicastInterfaces(
  all: NetworkInterfaces,
  wanted: readonly string[] | undefined,
  platform: NodeJS.Platform,
): readonly MulticastInterface[] {
  const chosen = new Map<string, MulticastInterface>()
  for (const one of interfaceAddresses(all, wanted)) {
    const family = one.info.family === 'IPv4' ? 'ipv4' : 'ipv6'
    const zone = platform === 'win32' ? zoneNumber(all[one.name] ?? []) : one.name
    const multicast = family === 'ipv4' ? one.address : `::%${zone}`
    const bits = one.info.cidr?.split('/')[1] ?? ADDRESS_BITS[family]
    const networks = [...(chosen.get(multicast)?.networks ?? []), `${one.address}/${bits}`]
    chosen.set(multicast, { family, multicast, networks })
  }
  return [...chosen.values()]
}

/**
 * Tells whether an address belongs to a network of the interfaces. Systems deliver a multicast datagram to every socket on the
 * port, whichever program joined the group and on whichever interface it arrived.
 */
export function neighbours(interfaces: readonly MulticastInterface[]): (address: string) => boolean {
  const all = interfaces.flatMap(({ networks }) => networks)
  const zones = new Set(interfaces.map(({ multicast }) => zoneOf(multicast)))
  return (address) => {
    const zone = zoneOf(address)
    return zone === undefined ? all.some((network) => isInSubnet(address, network)) : zones.has(zone)
  }
}

function zoneOf(address: string): string | undefined {
  return /%(.*)$/.exec(address)?.[1]
}

/** Only link-local addresses have it. Loopback has none, and is interface 1 on Windows. */
function zoneNumber(infos: readonly NetworkInterfaceInfo[]): number {
  return Math.max(1, ...infos.map((info) => (info.family === 'IPv6' ? info.scopeid : 0)))
}

/**
 * Something that is open on each interface, by the name of `multicast`.
 * @param open for an interface that has come
 * @param shut for one that has gone; resolves when it is closed
 */
export function onePerInterface<T>(open: (one: MulticastInterface) => T, shut: (one: T) => Promise<void>) {
  const opened = new Map<string, T>()
  const closing = new Set<Promise<void>>()
  const all = () => [...opened.values()]

  const drop = (gone: T) => {
    for (const [name, one] of opened) if (one === gone) opened.delete(name)
    const done = shut(gone)
    closing.add(done)
    void done.then(() => closing.delete(done))
  }

  return {
    all,
    drop,
    /** Closes those of absent interfaces, and opens one for each new interface. */
    update(interfaces: readonly MulticastInterface[]): void {
      const names = new Set(interfaces.map(({ multicast }) => multicast))
      for (const [name, one] of [...opened]) if (!names.has(name)) drop(one)
      for (const one of interfaces) if (!opened.has(one.multicast)) opened.set(one.multicast, open(one))
    },
    async close(): Promise<void> {
      for (const one of all()) drop(one)
      await Promise.all(closing)
    },
  }
}

export type ReportProblem = (what: string, family: Family, where: string, error: unknown) => void

/**
 * Logs each problem of each interface once. Those of IPv6 at debug level: many machines have it on some of their interfaces only,
 * and loopback refuses it nearly everywhere.
 */
export function reportOnce(log: Log): ReportProblem {
  const reported = new Set<string>()
  return (what, family, where, error) => {
    const code = systemCode(error) ?? String(error)
    const key = `${what} ${family} ${where} ${code}`
    if (reported.has(key)) return
    reported.add(key)
    log[family === 'ipv4' ? 'warn' : 'debug'](what, { interface: where, code })
  }
}
