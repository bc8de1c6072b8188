import { type Denial, decideShare } from '#core/shares'
import { type Conversation, type Conversations, isEnded } from './conversations'
import type { StreamLimits } from './streamLimits'

/** Decides whether there may be one more stream. */
export type StreamPlaces = {
  /** For a stream of our own. */
  hasRoom(): boolean
  /** For a stream that this peer opens to us: another peer that has more of them may lose its newest one. */
  admits(peerId: number): boolean
  /** Streams that are open or being opened. */
  readonly count: number
}

export type StreamPlacesOptions = {
  readonly limits: Pick<StreamLimits, 'streams' | 'streamsPerPeer'>
  readonly conversations: Pick<Conversations, 'all' | 'accepted' | 'newestAccepted'>
  /** How many streams we are opening. */
  readonly opening: () => number
  readonly breakOff: (conversation: Conversation) => void
  /** @see StreamsOptions */
  readonly onRefused: (peerId?: number, denial?: Denial) => void
}

export function createStreamPlaces(options: StreamPlacesOptions): StreamPlaces {
  const { limits, conversations, opening, breakOff, onRefused } = options
  const count = () => {
    let open = opening()
    for (const each of conversations.all()) if (each.kind !== 'attempt' && !isEnded(each)) open += 1
    return open
  }

  return {
    hasRoom() {
      if (count() < limits.streams) return true
      onRefused()
      return false
    },
    admits(peerId) {
      const share = { perOwner: limits.streamsPerPeer, total: limits.streams - opening() }
      const decision = decideShare(conversations.accepted, peerId, share)
      if (decision.kind === 'admit') return true
      if (decision.kind === 'refuse') {
        onRefused(peerId, decision.isOverShare ? 'refused' : 'full')
        return false
      }
      onRefused(decision.from, 'withdrawn')
      const newest = conversations.newestAccepted(decision.from)
      if (newest) breakOff(newest)
      return true
    },
    get count() {
      return count()
    },
  }
}
