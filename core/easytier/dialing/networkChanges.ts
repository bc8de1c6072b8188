import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { Transports } from '../transport/transports'
import type { SharedNodeStatus } from './sharedNodes'

/**
 * One cause closes some connections at once, and others after the silence that is allowed; the first may be open again by
 * then.
 */
const AT_ONCE_MS = 15_000

export type NetworkChanges = ReturnType<typeof watchNetworkChanges>

/**
 * Notices that this machine may be on another network: its interfaces change, or all shared nodes are lost at once, which
 * is all that is seen of it when a router dials in anew.
 */
export function watchNetworkChanges(options: {
  readonly transports: Pick<Transports, 'onNetworkChange'>
  readonly clock: Clock
  readonly log: Log
  /** The interfaces have changed, or the machine has slept: connections may be dead. */
  readonly onOtherNetwork: () => void
  /**
   * Our public address and ports may be others: all shared nodes were lost, or the first one is back when none was left,
   * before which servers may have been out of reach.
   */
  readonly onOtherAddress: () => void
}) {
  const { transports, clock, log } = options
  const connectedAt = new Map<string, number>()
  let hasLostAll = false
  const unsubscribe = transports.onNetworkChange(() => {
    log.info('the network of this machine has changed')
    options.onOtherNetwork()
  })

  return {
    close: unsubscribe,
    /** To be called after every change of a shared node's state. */
    nodesChanged(nodes: readonly SharedNodeStatus[]): void {
      const now = clock.now()
      const before = connectedAt.size
      const hasLost = noteNodes(nodes, connectedAt, now)
      const isOld = (at: number) => now - at >= AT_ONCE_MS
      const isFirstBack = hasLostAll && before === 0 && connectedAt.size > 0
      const areAllLost = hasLost && ![...connectedAt.values()].some(isOld)
      hasLostAll = connectedAt.size === 0 && (hasLostAll || hasLost)
      if (!isFirstBack && !areAllLost) return
      log.debug(areAllLost ? 'all shared nodes were lost' : 'a shared node is back')
      options.onOtherAddress()
    },
  }
}

/** @returns whether one was lost */
function noteNodes(nodes: readonly SharedNodeStatus[], connectedAt: Map<string, number>, now: number) {
  let hasLost = false
  for (const { url, state } of nodes) {
    if (state !== 'connected') hasLost = connectedAt.delete(url) || hasLost
    else if (!connectedAt.has(url)) connectedAt.set(url, now)
  }
  return hasLost
}
