import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import { parseIpv4 } from '#core/easytier/wire/addresses'
import type { Endpoint } from '#core/easytier/wire/socketAddress'

/** Below are the ports of services; routers map to ports above. */
export const LOWEST_PORT = 1024

/** @returns an endpoint that a member has named, when datagrams may be sent to it. @throws RpcRefusal */
export function punchable(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || !isPunchable(endpoint)) throw new RpcRefusal('no address that can be punched')
  return endpoint
}

/** Whether datagrams may be sent to an endpoint that a member has named: IPv4, a single machine, no service's port. */
export function isPunchable({ address, port }: Endpoint): boolean {
  return isPunchableAddress(address) && port >= LOWEST_PORT && port <= 65_535
}

export function isPunchableAddress(address: string): boolean {
  const number = parseIpv4(address)
  if (number === undefined) return false
  const first = number >>> 24
  const isLinkLocal = number >>> 16 === 0xa9fe
  return first !== 0 && first !== 127 && first < 224 && !isLinkLocal
}
