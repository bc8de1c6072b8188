import { decideShare, type ShareDecision, type Standing } from '#core/shares'
import type { PeerRecord, ReceivedRecord } from '../../wire/peerRecord'

/** The 64 that a room has players for, and places for those who have none yet: they learn from the host that it is full. */
export const MAX_MEMBERS = 80
/** Ours is one of them. */
const PLACES = { perOwner: 1, total: MAX_MEMBERS - 1 }

export type KnownPeer = {
  readonly record: ReceivedRecord
  readonly at: number
  unreachableSince: number | undefined
}

/** How members stand to each other where there are more than `MAX_MEMBERS`. */
export type MemberStanding = {
  /** Members that may be one machine: equal for those of one address, or behind one neighbour. */
  readonly groupOf: (peerId: number) => unknown
  /** Whether a member is to stay: one of the others makes room for a newcomer. */
  readonly isSettled: (record: PeerRecord) => boolean
  /** Its place was given to another. */
  readonly onDisplaced: (peerId: number) => void
}

/** Which member makes room for a newcomer where there are `MAX_MEMBERS`. Without a standing newcomers are refused. */
export function decidePlace(
  newcomer: number,
  known: ReadonlyMap<number, KnownPeer>,
  standing: MemberStanding | undefined,
): ShareDecision<number> {
  const places = new Map<number, { readonly size: number }>()
  for (const [id, { record }] of known) if (!record.features.isSharedNode) places.set(id, { size: 1 })
  return decideShare(places, newcomer, PLACES, standing && (() => standingAmong(known, standing)))
}

function standingAmong(
  known: ReadonlyMap<number, KnownPeer>,
  { groupOf, isSettled }: MemberStanding,
): Standing<number> {
  return {
    groupOf,
    isSettled(id) {
      const entry = known.get(id)
      return entry !== undefined && isSettled(entry.record)
    },
  }
}
