import type { Clock } from '@lantern-room/base/async'
import type { Denial } from '@lantern-room/base/limits'
import { createTokenBuckets, setNewest } from '@lantern-room/base/limits'

/** So many refusals within this time restrain a member: no program that is only impatient gets there. */
export const MAX_REFUSALS = 100
const WINDOW_MS = 10_000
/** For how long: the first time, and at most. Each time is twice as long as the one before. */
export const FIRST_RESTRAINT_MS = 5000
const LAST_RESTRAINT_MS = 80_000
/** A member that kept to its share for so long begins anew. */
const FORGIVEN_AFTER_MS = 120_000
/** Packets of a restrained member that are read: enough for it to end what it has begun. */
const READ_RATE = { perSecond: 20, burst: 20 }
/** Calls of a member that are read: each is answered. */
export const CALL_RATE = { perSecond: 50, burst: 300 }
/** More than there are members. */
const MAX_MEMBERS = 256

type Member = { refusals: number; since: number; until: number; nextMs: number }

/**
 * Holds back members that go on asking for far more than their share.
 * Refusing costs time, too: what is dropped unread costs the least, and takes back-off out of the member's hands.
 */
export function createRestraint(clock: Clock) {
  const members = new Map<number, Member>()
  const reads = createTokenBuckets(clock, READ_RATE)
  const callReads = createTokenBuckets(clock, READ_RATE)
  const calls = createTokenBuckets(clock, CALL_RATE)

  return {
    /**
     * To be called for each thing that is denied to this member. Only refusals count: what is delayed is answered after all, and places
     * are withdrawn because others ask, who could have any member held back.
     */
    note(peerId: number, denial: Denial = 'refused'): void {
      if (denial === 'withdrawn' || denial === 'delayed') return
      const now = clock.now()
      const member = memberOf(members, peerId, now)
      if (now < member.until) return
      if (now - member.since > WINDOW_MS) startWindow(member, now)
      member.refusals += 1
      if (member.refusals < MAX_REFUSALS) return
      member.until = now + member.nextMs
      member.nextMs = Math.min(LAST_RESTRAINT_MS, member.nextMs * 2)
      startWindow(member, member.until)
    },
    /**
     * Whether the next packet of this member is to be read: all but those of a restrained one, of which a few are, and calls beyond a
     * rate that no program needs.
     */
    mayRead(peerId: number, isCall = false): boolean {
      const member = members.get(peerId)
      const isFree = member === undefined || clock.now() >= member.until
      if (isCall) return (isFree ? calls : callReads).take(String(peerId))
      return isFree || reads.take(String(peerId))
    },
  }
}

function memberOf(members: Map<number, Member>, peerId: number, now: number): Member {
  const known = members.get(peerId)
  if (known && now - known.until < FORGIVEN_AFTER_MS) return known
  const member = { refusals: 0, since: now, until: now, nextMs: FIRST_RESTRAINT_MS }
  setNewest(members, peerId, member, MAX_MEMBERS)
  return member
}

function startWindow(member: Member, now: number): void {
  member.refusals = 0
  member.since = now
}
