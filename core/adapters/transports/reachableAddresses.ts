import { isIPv4 } from 'node:net'
import { type NetworkInterfaces, unscoped } from '../lan/interfaces'

/**
 * The addresses at which other machines may reach this one, IPv4 first; loopback only if there is nothing else.
 * @param wanted addresses or names of interfaces; undefined = all
 */
export function reachableAddresses(
  all: NetworkInterfaces,
  wanted: readonly string[] | undefined,
): readonly string[] {
  const infos = Object.entries(all).flatMap(([name, list]) =>
    (list ?? []).map((info) => ({ ...info, name, address: unscoped(info.address) })),
  )
  const chosen = infos.filter(
    ({ name, address }) =>
      wanted === undefined || wanted.some((word) => word === name || unscoped(word) === address),
  )
  const outside = chosen.filter(({ internal, address }) => !internal && !isLinkLocal(address))
  const usable = outside.length > 0 ? outside : chosen.filter(({ internal }) => internal)
  const addresses = [...new Set(usable.map(({ address }) => address))]
  return [
    ...addresses.filter((address) => isIPv4(address)),
    ...addresses.filter((address) => !isIPv4(address)),
  ]
}

/** Whether all usable interfaces are loopback, so that nothing may be visible outside this machine. */
export function isLoopbackOnly(all: NetworkInterfaces, wanted: readonly string[] | undefined): boolean {
  if (wanted === undefined || wanted.length === 0) return false
  return wanted.every((word) => {
    const infos = all[word]
    if (infos !== undefined) return infos.every(({ internal }) => internal)
    return word === '::1' || (isIPv4(word) && word.startsWith('127.'))
  })
}

/** IPv6 only: an address with a scope is of no use to another machine. */
function isLinkLocal(address: string): boolean {
  return /^fe[89ab]/i.test(address)
}
