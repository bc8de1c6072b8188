import type { Clock } from '#core/async/clock'
import type { PortMapping, RouterAccess, Transports } from '../transport/transports'

/** A router that has agreed to open ports. */
export type Router = {
  readonly method: PortMapping['method']
  /** How long it has kept its mappings, in seconds, where it tells that. @throws Error, or the signal's reason */
  epochS?(signal: AbortSignal): Promise<number>
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

export type FindRouterOptions = RouterOptions & {
  /** By which a router that speaks PCP knows our mappings again: 24 hexadecimal digits. */
  readonly nonce: string
}

/** How long a port stays open when it is not renewed. */
export const LEASE_MS = 600_000
