import type { Clock } from '@lantern-room/base/async'
import { createThrottle } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import type { MemberShare, OnOverShare } from '@lantern-room/protocol/server'

/** A member that asks for more than its share. */
export type GreedyMember = {
  readonly memberId: string
  readonly shares: readonly MemberShare[]
  /** What was refused, withdrawn or delayed since the member was last told of. */
  readonly count: number
}

/** A guest that reconnects, or several programs behind one member, may pass a share once or twice. */
const MIN_COUNT = 3
/** So many within this time count. */
const WINDOW_MS = 10_000
/** A member is reported at most once in this time, */
const AGAIN_MS = 60_000
/** and all of them together in one message in this time. */
const EVERY_MS = 1000
/** More than there are members. */
const MAX_MEMBERS = 128

type Watched = { shares: Set<MemberShare>; count: number; since: number; toldAt: number }

/**
 * Tells the host which members ask for more than their share: few messages, however much they ask for.
 * @param tell called with those that have not been told of lately
 */
export function createShareWatch(
  clock: Clock,
  tell: (members: readonly GreedyMember[]) => void,
): OnOverShare {
  const watched = new Map<string, Watched>()
  const telling = createThrottle(clock, EVERY_MS, () => {
    const due = [...watched].filter(([, member]) => isDue(member))
    if (due.length === 0) return
    tell(due.map(([memberId, { shares, count }]) => ({ memberId, shares: [...shares], count })))
    for (const [, member] of due) Object.assign(member, { ...startOfCount(), toldAt: clock.now() })
  })

  return (memberId, share) => {
    const member = watched.get(memberId) ?? { ...startOfCount(), toldAt: Number.NEGATIVE_INFINITY }
    if (clock.now() - member.since > WINDOW_MS && member.count < MIN_COUNT)
      Object.assign(member, startOfCount())
    member.shares.add(share)
    member.count += 1
    setNewest(watched, memberId, member, MAX_MEMBERS)
    if (isDue(member)) telling.request()
  }

  function isDue({ count, toldAt }: Watched): boolean {
    return count >= MIN_COUNT && clock.now() - toldAt >= AGAIN_MS
  }

  function startOfCount() {
    return { shares: new Set<MemberShare>(), count: 0, since: clock.now() }
  }
}
