/** Tells numbers that were seen before, where they may arrive in another order and with gaps. @see RFC 4303, section 3.4.3 */
export type ReplayWindow = {
  /** Whether a number is new; false, too, when it is so far behind the highest one that this is no longer known. */
  isFresh(number: number): boolean
  /** @param number a fresh one, from 0 up */
  add(number: number): void
}

/** @param size how far a number may be behind the highest one */
export function createReplayWindow(size: number): ReplayWindow {
  const seen = new Uint8Array(size)
  let highest = -1

  return {
    isFresh: (number) => number > highest || (number > highest - size && seen[number % size] === 0),
    add(number) {
      const firstNew = Math.max(highest + 1, number - size + 1)
      for (let next = firstNew; next < number; next++) seen[next % size] = 0
      seen[number % size] = 1
      highest = Math.max(highest, number)
    },
  }
}
