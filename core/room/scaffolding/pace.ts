import { type Clock, sleep } from '#core/async/clock'
import { createTokenBuckets } from '#core/tokenBuckets'
import { THIS_MACHINE } from '../roomNetwork'

/** Requests of every kind: a guest sends one to three in 5 s, one a second while there is no world. */
export const REQUEST_RATE = { perSecond: 10, burst: 100 }
/** `c:player_ping`, by which players are registered and renamed. */
export const PLAYER_PING_RATE = { perSecond: 2, burst: 10 }

/**
 * Limits the rate of each member's requests, over all of its connections. One that comes too early is answered later, and
 * not refused: guests of other programs leave at a refusal.
 * @param onDelayed called with the member for each request that has to wait
 * @returns a function that resolves when the next request of a member may be answered, and throws the signal's reason
 */
export function createPace(
  clock: Clock,
  rate: { readonly perSecond: number; readonly burst: number },
  onDelayed: (memberId: string) => void,
): (memberId: string, signal: AbortSignal) => Promise<void> {
  const buckets = createTokenBuckets(clock, rate)
  return async (memberId, signal) => {
    if (memberId === THIS_MACHINE) return
    const ms = buckets.borrow(memberId)
    if (ms === 0) return
    onDelayed(memberId)
    await sleep(clock, ms, signal)
  }
}
