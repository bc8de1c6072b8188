import type { Clock } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import { MAX_FORWARDS, type Packet, withNextForward } from '../wire/packet'
import { createFairQueue } from './fairQueue'
import type { PeerConnection } from './peerConnection'
import { isRpc } from './sealedPackets'

export type RelayTotals = {
  /** Pairs of members that something was carried for in the last ten seconds, calls left out. */
  readonly pairs: number
  /** That were sent on so far. */
  readonly bytes: number
}

const ACTIVE_MS = 10_000
/** More than there are pairs that play. */
const MAX_PAIRS = 256

export type MemberRelay = ReturnType<typeof createMemberRelay>

/**
 * Forwards packets between two other members, unread, within a rate that the senders share.
 * What is forwarded goes to its target itself, over a direct connection, and never to a shared node or another relay: no packet
 * can travel in a circle, whatever the routes say.
 */
export function createMemberRelay(options: {
  readonly ownId: number
  readonly bytesPerSecond: number
  readonly clock: Clock
  /** Whether a peer is a member of this network, and can be reached. */
  readonly isMember: (peerId: number) => boolean
  readonly connectionTo: (peerId: number) => PeerConnection | undefined
  /** Whether a packet of this sender may come over this connection. */
  readonly maySpeakFor: (connection: PeerConnection, from: number) => boolean
}) {
  const { ownId, clock, isMember, connectionTo } = options
  const queue = createFairQueue(options.bytesPerSecond, clock)
  /** When something was last carried for a pair, the least recent first. */
  const activeAt = new Map<string, number>()
  let bytesSent = 0

  return {
    /** Takes a packet for another peer. @param bytes the whole packet */
    forward(packet: Packet, bytes: Uint8Array, connection: PeerConnection): void {
      const { from, to } = packet
      if (packet.forwards > MAX_FORWARDS || !isBetweenOthers(packet, connection)) return
      if (!directTo(to) || !options.maySpeakFor(connection, from)) return
      const next = withNextForward(bytes)
      // By who it came from: a member may write any id that is not connected here, and would have a share for each.
      queue.add(`${connection.peerId} ${to}`, next, () => {
        // It may have closed meanwhile.
        const target = directTo(to)
        if (!target) return
        bytesSent += next.length
        if (!isRpc(packet)) noteActive(from, to)
        target.send(next)
      })
    },
    totals: (): RelayTotals => ({ pairs: activePairs(), bytes: bytesSent }),
    close: queue.close,
  }

  /** Never back to where it came from. */
  function isBetweenOthers({ from, to }: Packet, connection: PeerConnection): boolean {
    if (from === ownId || to === ownId || from === to || to === connection.peerId) return false
    return isMember(from) && isMember(to)
  }

  function directTo(peerId: number): PeerConnection | undefined {
    const connection = connectionTo(peerId)
    return connection?.isSharedNode ? undefined : connection
  }

  function noteActive(from: number, to: number): void {
    const pair = from < to ? `${from} ${to}` : `${to} ${from}`
    setNewest(activeAt, pair, clock.now(), MAX_PAIRS)
  }

  function activePairs(): number {
    for (const [pair, at] of activeAt) if (clock.now() - at > ACTIVE_MS) activeAt.delete(pair)
    return activeAt.size
  }
}
