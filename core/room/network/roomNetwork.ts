import { createAlarm } from '#core/async/alarm'
import { createEmitter } from '#core/async/emitter'
import { abortReason } from '#core/errors'
import type { HostConnection, HostOptions, RoomNetwork } from '../ports'
import { createExposure } from './exposure'
import { createGuestConnection } from './guestConnection'
import { createHostConnection } from './hostConnection'
import { hostName, isMember } from './members'
import { isOnNode, noNode, openPeer } from './openPeer'
import { privateIdentity } from './privateIdentity'
import { discoverRoom } from './roomDiscovery'
import type { RoomNetworkOptions } from './roomNetworkOptions'

/** Where the host is in most rooms. */
const HOST_ADDRESS = '10.144.144.1'
/** How long a host waits for a shared node before it opens for the LAN alone, or fails where that is not allowed. */
const HOST_NODE_MS = 3000
const ONLY_NODES_MS = 8000

/** Rooms on networks of EasyTier, spoken by ourselves. @see docs/network/overview.md */
export function createRoomNetwork(options: RoomNetworkOptions): RoomNetwork {
  const { clock, log } = options

  return {
    version: `easytier-wire 2.6 (${options.version})`,
    host: (order) => hostRoom(options, order),
    async join(order) {
      order.onStep('starting')
      const { peer, privacy, changes, rest, down, signal } = await discoverRoom(options, order)
      order.onStep('host-found')
      const closed = Promise.all([peer.closed, rest]).then(() => {})
      return createGuestConnection({ peer, privacy, changes, closed, down, signal, clock, log })
    },
  }
}

async function hostRoom(options: RoomNetworkOptions, order: HostOptions): Promise<HostConnection> {
  const { clock, nodes, isDirect } = options
  const { room, privacy } = order
  const identity =
    privacy === 'private'
      ? await (options.privateIdentity ?? privateIdentity)(room.text)
      : { name: room.networkName, secret: room.networkSecret }
  if (order.signal.aborted) throw abortReason(order.signal)
  const alarm = createAlarm(clock)
  const changes = createEmitter<void>()
  const { replace, ...exposure } = createExposure(order)
  const { peer, signal, down, close } = await openPeer(options, {
    identity,
    isHost: true,
    hostname: hostName(order.roomPort),
    address: HOST_ADDRESS,
    signal: order.signal,
    ...exposure,
    wantsDirect: isMember,
    onChange() {
      alarm.wake()
      changes.emit()
    },
  })
  const until = clock.now() + (isDirect ? HOST_NODE_MS : ONLY_NODES_MS)
  while (nodes.length > 0 && !isOnNode(peer)) {
    if (clock.now() >= until) {
      if (isDirect) break
      const failure = noNode(peer)
      await close(failure)
      throw failure
    }
    await alarm.wait(Math.max(1, until - clock.now()), signal)
  }
  return createHostConnection({ peer, privacy, changes, down, setExposed: replace })
}
