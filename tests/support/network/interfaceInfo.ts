import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** Whether this machine has `::1`. */
export const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

/** An IPv4 address of a machine, as Node lists it. @param bits of its network; the mask is right for 8 and 24 */
export function ipv4(address: string, internal = false, bits = 24): NetworkInterfaceInfo {
  const netmask = bits === 8 ? '255.0.0.0' : '255.255.255.0'
  return { family: 'IPv4', address, cidr: `${address}/${bits}`, netmask, mac: '', internal }
}

/** An IPv6 address of a machine, as Node lists it. */
export function ipv6(address: string, internal = false, bits = 64, scopeid = 0): NetworkInterfaceInfo {
  return { family: 'IPv6', address, cidr: `${address}/${bits}`, netmask: '', mac: '', internal, scopeid }
}
