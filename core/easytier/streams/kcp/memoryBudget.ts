/** Limits the received bytes that all streams together hold until they are read. */
export type MemoryBudget = {
  take(bytes: number): void
  release(bytes: number): void
  isSpent(): boolean
  readonly held: number
}

/** A budget for all peers together, of which each peer may use a share. */
export type SharedMemory = {
  /** For streams that we have opened. */
  readonly own: MemoryBudget
  /** For streams that this peer has opened to us. */
  of(peerId: number): MemoryBudget
}

/** @param limits bytes */
export function createSharedMemory(limits: {
  readonly perPeer: number
  readonly total: number
}): SharedMemory {
  const own = createMemoryBudget(limits.total)
  const byPeer = new Map<number, number>()
  return {
    own,
    of: (peerId) => ({
      take(bytes) {
        own.take(bytes)
        byPeer.set(peerId, (byPeer.get(peerId) ?? 0) + bytes)
      },
      release(bytes) {
        own.release(bytes)
        const left = (byPeer.get(peerId) ?? 0) - bytes
        if (left > 0) byPeer.set(peerId, left)
        else byPeer.delete(peerId)
      },
      isSpent: () => own.isSpent() || (byPeer.get(peerId) ?? 0) >= limits.perPeer,
      get held() {
        return byPeer.get(peerId) ?? 0
      },
    }),
  }
}

export function createMemoryBudget(limit: number): MemoryBudget {
  let held = 0
  return {
    take(bytes) {
      held += bytes
    },
    release(bytes) {
      held -= bytes
    },
    isSpent: () => held >= limit,
    get held() {
      return held
    },
  }
}

/** Memory that waiting segments take: their bytes, and an estimate of the bookkeeping for each. */
export function costOf(segments: number, bytes: number): number {
  return bytes + segments * 128
}
