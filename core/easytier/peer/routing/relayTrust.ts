import type { Clock } from '@lantern-room/base/async'

/** After so long without an answer the neighbour is no longer trusted, */
const SILENCE_MS = 3000
/** for so long at first, and each time twice as long. */
const FIRST_DISTRUST_MS = 30_000
const LAST_DISTRUST_MS = 960_000
/** A neighbour that brought all answers for so long begins anew. */
const FORGIVEN_AFTER_MS = 600_000

type Distrust = { readonly until: number; readonly ms: number }

/**
 * Notices when a member that relays brings no answers, though it answers itself: its own way to the other peer may be broken, or
 * it is too busy, or it only pretends.
 */
export function createRelayTrust(clock: Clock) {
  const waiting = new Map<number, { readonly neighbour: number; readonly since: number }>()
  const distrusted = new Map<number, Distrust>()

  return {
    /** A call to this peer, which is answered in any case, was sent over this neighbour. */
    noteCall(peerId: number, neighbour: number): void {
      if (waiting.get(peerId)?.neighbour === neighbour) return
      waiting.set(peerId, { neighbour, since: clock.now() })
    },
    /** Something of this peer has come, by whatever way. */
    noteHeard: (peerId: number): void => void waiting.delete(peerId),
    /** To be called every half second. */
    update(): void {
      const now = clock.now()
      for (const [neighbour, { until }] of distrusted)
        if (now - until >= FORGIVEN_AFTER_MS) distrusted.delete(neighbour)
      for (const [peerId, { neighbour, since }] of waiting) {
        if (now - since < SILENCE_MS) continue
        waiting.delete(peerId)
        distrust(neighbour, now)
      }
    },
    isTrusted: (neighbour: number): boolean => clock.now() >= (distrusted.get(neighbour)?.until ?? 0),
  }

  function distrust(neighbour: number, now: number): void {
    const before = distrusted.get(neighbour)
    // Calls that were under way when the first of them was missed.
    if (before && now < before.until) return
    const ms = before ? Math.min(LAST_DISTRUST_MS, before.ms * 2) : FIRST_DISTRUST_MS
    distrusted.set(neighbour, { until: now + ms, ms })
  }
}
