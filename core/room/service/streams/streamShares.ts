import type { ByteStream } from '#core/byteStream'
import { createShares, type Standing } from '#core/shares'
import type { OnOverShare } from '../../roomNetwork'

/** Of one member, and of all together: what a large modpack with its map and voice mods needs, several times over. */
const MAX_STREAMS = { perOwner: 64, total: 512 }

/**
 * The members' streams to the world and to extra ports, within the share of each.
 * @returns takes a stream in, until it closes; false when it has no place. It may close the newest stream of the member with
 * most.
 */
export function createStreamShares(
  onOverShare: OnOverShare,
  standing?: () => Standing<string>,
): (stream: ByteStream, memberId: string) => boolean {
  const shares = createShares<string, ByteStream>(MAX_STREAMS, standing)
  return (stream, memberId) => {
    const taken = shares.add(memberId, stream)
    if (taken.kind === 'refuse') {
      onOverShare(memberId, 'streams', taken.isOverShare ? 'refused' : 'full')
      return false
    }
    if (taken.kind === 'displace') {
      onOverShare(taken.from, 'streams', 'withdrawn')
      taken.item.destroy()
    }
    void stream.closed.then(() => shares.remove(memberId, stream))
    return true
  }
}
