import type { Log } from '@lantern-room/base'
import { findRouter } from './portMapper'
import type { PortMapping } from './ports'
import { removeMappings } from './removeMappings'
import type { RouterOptions } from './routers'

/** When a program starts nothing waits for it, but the machine is busy. */
const LEFTOVERS_MS = 5000

/**
 * What a program may ask routers beside a network, which opens and closes its own ports.
 * @example
 * const ports = routerPorts({ transports, routers: transports.routers, clock, log })
 * await ports.removeLeftovers()
 * const method = await ports.method(AbortSignal.timeout(3000))
 */
export function routerPorts(options: RouterOptions & { readonly log: Log }) {
  return {
    /**
     * How the first router that answers opens ports. It opens none yet.
     * @throws Error when there is none, or the signal's reason
     */
    async method(signal: AbortSignal): Promise<PortMapping['method']> {
      return (await findRouter(options, signal)).method
    },
    /** Closes the ports that a run which was killed has left open, within 5 s. What stays open stays recorded. Never rejects. */
    async removeLeftovers(): Promise<void> {
      await removeMappings(options, await options.routers.record.leftovers(), LEFTOVERS_MS)
    },
  }
}
