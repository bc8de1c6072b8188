/** How long a router has kept its mappings, and when it said so. */
export type SeenEpoch = {
  readonly epochS: number
  /** In the clock's time. */
  readonly atMs: number
}

/**
 * Whether a router has kept its mappings between two answers: otherwise they have to be asked for anew at once.
 * @see RFC 6887, section 8.5
 */
export function isSameEpoch(before: SeenEpoch, now: SeenEpoch): boolean {
  // Some routers always tell the same.
  if (now.epochS === before.epochS) return true
  if (now.epochS + 1 < before.epochS) return false
  const here = (now.atMs - before.atMs) / 1000
  const there = now.epochS - before.epochS
  return here + 2 >= there - there / 16 && there + 2 >= here - here / 16
}
