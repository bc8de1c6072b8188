export type MemoryBudget = ReturnType<typeof createMemoryBudget>

/** A budget for all peers together, of which each peer may use a share. @param limits bytes */
export function createSharedMemory(limits: { readonly perPeer: number; readonly total: number }) {
  const own = createMemoryBudget(limits.total)
  const byPeer = new Map<number, number>()
  return {
    /** For streams that we have opened. */
    own,
    /** For streams that this peer has opened to us. */
    of: (peerId: number): MemoryBudget => ({
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

/** Limits the received bytes that all streams together hold until they are read. */
export function createMemoryBudget(limit: number) {
  let held = 0
  return {
    take(bytes: number): void {
      held += bytes
    },
    release(bytes: number): void {
      held -= bytes
    },
    isSpent: (): boolean => held >= limit,
    get held(): number {
      return held
    },
  }
}

/** Memory that waiting segments take: their bytes, and an estimate of the bookkeeping for each. */
export function costOf(segments: number, bytes: number): number {
  return bytes + segments * 128
}
