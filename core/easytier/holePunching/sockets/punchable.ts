import { isReachableAddress } from '#core/addressRanges'
import { RpcRefusal } from '#core/easytier/rpc/rpcRefusal'
import type { Endpoint } from '#core/easytier/wire/socketAddress'

/** Below are the ports of services; routers map to ports above. */
export const LOWEST_PORT = 1024

/** @returns an endpoint that a member has named, when datagrams may be sent to it. @throws RpcRefusal */
export function punchable(endpoint: Endpoint | undefined): Endpoint {
  if (!endpoint || !isPunchable(endpoint)) throw new RpcRefusal('no address that can be punched')
  return endpoint
}

/** Whether datagrams may be sent to an endpoint that a member has named: a single machine, no service's port. */
export function isPunchable({ address, port }: Endpoint): boolean {
  return isReachableAddress(address) && port >= LOWEST_PORT && port <= 65_535
}
