import { type Denial, decideShare } from '@lantern-room/base/limits'
import { type Conversation, type Conversations, isEnded } from './conversations'

/**
 * How much of a peer its streams may take, since the other side decides how many there are and how fast they send.
 * @see docs/network/streams.md
 */
export const STREAM_LIMITS = {
  /** The limit for streams of all peers, in both directions. */
  streams: 1024,
  /** The limit for streams that one peer has opened to us, half-open ones included. */
  streamsPerPeer: 128,
  /** Received bytes that have not been read yet, of all streams together. */
  heldBytes: 32 * 1024 * 1024,
  /** The limit for bytes held in streams that one peer has opened to us. */
  heldBytesPerPeer: 4 * 1024 * 1024,
  /** How long an accepted stream may stay without data. */
  idleMs: 30_000,
}

export type StreamLimits = Readonly<typeof STREAM_LIMITS>

export type StreamPlaces = ReturnType<typeof createStreamPlaces>

export type StreamPlacesOptions = {
  readonly limits: Pick<StreamLimits, 'streams' | 'streamsPerPeer'>
  readonly conversations: Pick<Conversations, 'all' | 'accepted' | 'newestAccepted'>
  /** How many streams we are opening. */
  readonly opening: () => number
  readonly breakOff: (conversation: Conversation) => void
  /** @see StreamsOptions */
  readonly onRefused: (peerId?: number, denial?: Denial) => void
}

/** Decides whether there may be one more stream. */
export function createStreamPlaces(options: StreamPlacesOptions) {
  const { limits, conversations, opening, breakOff, onRefused } = options
  const count = () => {
    let open = opening()
    for (const each of conversations.all()) if (each.kind !== 'attempt' && !isEnded(each)) open += 1
    return open
  }

  return {
    /** For a stream of our own. */
    hasRoom(): boolean {
      if (count() < limits.streams) return true
      onRefused()
      return false
    },
    /** For a stream that this peer opens to us: another peer that has more of them may lose its newest one. */
    admits(peerId: number): boolean {
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
    /** Streams that are open or being opened. */
    get count(): number {
      return count()
    },
  }
}
