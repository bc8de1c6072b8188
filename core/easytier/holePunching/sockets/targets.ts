import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import type { Endpoint } from '#core/easytier/wire/socketAddress'

/** Below lie the services of machines, and no router's mappings: a member cannot have us send there. */
export const LOWEST_PORT = 1024

/** Whether datagrams may be sent to an address that somebody else has named: IPv4, of one machine, no service's port. */
export function isPunchable({ address, port }: Endpoint): boolean {
  return isPunchableAddress(address) && port >= LOWEST_PORT && port <= 65_535
}

/** @returns the address when it may be sent to. @throws RpcRefusal */
export function punchable(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || !isPunchable(endpoint)) throw new RpcRefusal('no address that can be punched')
  return endpoint
}

export function isPunchableAddress(address: string): boolean {
  const number = parseIpv4(address)
  if (number === undefined) return false
  const first = number >>> 24
  const isLinkLocal = number >>> 16 === 0xa9fe
  return first !== 0 && first !== 127 && first < 224 && !isLinkLocal
}
