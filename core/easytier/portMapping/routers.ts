import type { Clock } from '#core/clock'
import type { PortMapping, RouterAccess, Transports } from '../transport/transports'

/** A router that has agreed to open ports. */
export type Router = {
  readonly method: PortMapping['method']
  /**
   * Opens a port, or renews it.
   * @param externalPort the number that is asked for; the router may choose another one
   * @throws Error, or the signal's reason
   */
  map(
    transport: 'tcp' | 'udp',
    localPort: number,
    externalPort: number,
    signal: AbortSignal,
  ): Promise<PortMapping>
}

export type RouterOptions = {
  readonly transports: Pick<Transports, 'openUdp'>
  readonly routers: RouterAccess
  readonly clock: Clock
}

/** How long a port stays open when it is not renewed. */
export const LEASE_MS = 600_000
