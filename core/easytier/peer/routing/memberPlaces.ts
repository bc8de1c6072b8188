import { decideShare, type ShareDecision, type Standing } from '@lantern-room/base/limits'
import type { ReceivedRecord } from '../../wire/peerRecord'

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
export type MemberStanding = Standing<number> & {
  /** The place of this member was given to another. */
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
  return decideShare(places, newcomer, PLACES, standing && (() => standing))
}
