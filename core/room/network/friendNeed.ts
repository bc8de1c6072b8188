import type { Clock } from '#core/async/clock'
import { isSymmetric, natTypeOf } from '#core/easytier/nat/natType'
import type { Network } from '#core/easytier/network'
import { findHost } from './members'

/** A direct path that is possible is there by then, mostly. */
const SEARCH_MS = 5000

/**
 * Whether a guest needs a friend that carries: at once where both routers are strict, else when no direct path to the host
 * has been found for some seconds.
 * @returns a function that is to be called again and again
 */
export function createFriendNeed(clock: Clock): (network: Pick<Network, 'peers' | 'natType'>) => boolean {
  let relayedSince: number | undefined

  return (network) => {
    const [host] = findHost(network.peers())
    if (!host || host.connection) {
      relayedSince = undefined
      return false
    }
    relayedSince ??= clock.now()
    if (isSymmetric(network.natType()) && isSymmetric(natTypeOf(host.record.udpNatType))) return true
    return clock.now() - relayedSince >= SEARCH_MS
  }
}
