/** More than a room has players; members on shared nodes of a cluster are told of by these. */
export const MAX_TOLD = 32

type ToldSharesOptions = {
  /** A shared node reports all members of the room. */
  readonly isSharedNode: (peerId: number) => boolean
  /** Whether anything is stored about this peer. */
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

  return {
    /** To be called before a neighbour's reports are taken: peers that were forgotten meanwhile count no longer. */
    forgetGone(): void {
      for (const about of tellers.keys()) if (!isKnown(about)) tellers.delete(about)
    },
    /** Whether a neighbour's report of this peer is accepted. */
    take(about: number, from: number): boolean {
      if (about === from || isSharedNode(from)) {
        tellers.delete(about)
        return true
      }
      if (tellers.has(about) || isKnown(about)) return true
      if (toldBy(from).length >= MAX_TOLD) {
        onOverShare(from)
        return false
      }
      tellers.set(about, from)
      return true
    },
    /** To be called when a neighbour has left. @returns the peers that only this neighbour has reported */
    release(from: number): readonly number[] {
      const told = toldBy(from)
      for (const about of told) tellers.delete(about)
      return told
    },
  }

  function toldBy(from: number): readonly number[] {
    return [...tellers].flatMap(([about, teller]) => (teller === from ? [about] : []))
  }
}
