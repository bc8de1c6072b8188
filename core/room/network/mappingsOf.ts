import type { Network } from '#core/easytier/network'
import { formatEndpoint } from '#core/easytier/wire/socketAddress'
import type { NetworkStatus } from '../ports'

/** The open ports of the router, as the room's status shows them. */
export function mappingsOf(network: Pick<Network, 'mappings'>): NetworkStatus['mappings'] {
  return network.mappings().map(({ method, transport, external }) => ({
    method,
    transport,
    external: formatEndpoint(external),
  }))
}
