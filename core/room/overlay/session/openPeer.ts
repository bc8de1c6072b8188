import { abortReason } from '../../../errors'
import { RoomFailure } from '../../failure'
import { openRoomPeer, type RoomPeer, type RoomPeerOptions } from '../peer/roomPeer'
import type { OverlayOptions } from './options'

/** What differs from one peer of a room to another. */
export type PeerOrder = Omit<RoomPeerOptions, keyof OverlayOptions>

/** What other programs show for us. */
const PROGRAM_VERSION = '2.6.4-lantern'

/** @throws RoomFailure `network-failed`, or the reason of the order's signal */
export async function openPeer(options: OverlayOptions, order: PeerOrder): Promise<RoomPeer> {
  try {
    return await openRoomPeer({ ...options, ...order, version: PROGRAM_VERSION })
  } catch (cause) {
    if (order.signal.aborted) throw abortReason(order.signal)
    throw new RoomFailure('network-failed', 'The network could not be started.', { cause })
  }
}

export function isOnNode(peer: RoomPeer): boolean {
  return peer.nodes().some(({ state }) => state === 'connected')
}

export function noNode(peer: RoomPeer): RoomFailure {
  const problems = peer.nodes().map(({ url, problem }) => `${url}: ${problem ?? 'no answer'}`)
  return new RoomFailure('no-relay-reachable', `No shared node can be reached (${problems.join('; ')}).`)
}
