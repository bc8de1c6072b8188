import type { Log } from '@lantern-room/base'
import type { Denial } from '@lantern-room/base/limits'

/** Limits of a network that members can reach. */
export type LimitName = 'members' | 'records' | 'streams' | 'UDP flows' | 'listeners'

/**
 * Called for each refusal.
 * @param peerId of the member that asks for more than there is for it; undefined where no member is to blame
 * @param denial refused when not given
 */
export type OnRefused = (limit: LimitName, peerId?: number, denial?: Denial) => void

/** Called each time that something of this member is refused or withdrawn because it has more than its share. */
export type OnShareExceeded = (peerId: number, limit: LimitName, denial?: Denial) => void

/** Logs only the first refusal by each limit: there may be thousands. A member's own share is left to `onOverShare`. */
export function createLimitLog(log: Log, onOverShare: OnShareExceeded): OnRefused {
  const logged = new Set<LimitName>()
  return (limit, peerId, denial) => {
    if (peerId !== undefined) onOverShare(peerId, limit, denial)
    if ((peerId !== undefined && denial !== 'full') || logged.has(limit)) return
    logged.add(limit)
    log.warn('a limit of the network is reached; more is refused', { limit })
  }
}
