/** More than a room has players; members on shared nodes of a cluster are told of by these. */
export const MAX_TOLD = 32

type ToldSharesOptions = {
  /** A shared node reports all members of the room. */
  readonly isSharedNode: (peerId: number) => boolean
  readonly isKnown: (peerId: number) => boolean
  readonly onOverShare: (from: number) => void
}

/**
 * Limits how many other peers a member may report. Records are not signed: without a limit one member could fill the table with
 * peers that do not exist, and leave no place for real ones.
 */
export function createToldShares({ isSharedNode, isKnown, onOverShare }: ToldSharesOptions) {
  /** Who was the first to tell of a peer that has not spoken for itself. */
  const tellers = new Map<number, number>()
  const counts = new Map<number, number>()

  return {
    /** Whether a neighbour's report of this peer is accepted. */
    take(about: number, from: number): boolean {
      if (about === from || isSharedNode(from)) {
        forget(about)
        return true
      }
      if (tellers.has(about) || isKnown(about)) return true
      const count = counts.get(from) ?? 0
      if (count >= MAX_TOLD) {
        onOverShare(from)
        return false
      }
      tellers.set(about, from)
      counts.set(from, count + 1)
      return true
    },
    /** To be called when a neighbour has left. @returns the peers that only this neighbour has reported */
    release(from: number): readonly number[] {
      const told = [...tellers].flatMap(([about, teller]) => (teller === from ? [about] : []))
      for (const about of told) tellers.delete(about)
      counts.delete(from)
      return told
    },
  }

  function forget(about: number): void {
    const teller = tellers.get(about)
    if (teller === undefined) return
    tellers.delete(about)
    counts.set(teller, (counts.get(teller) ?? 1) - 1)
  }
}
