/** What each member has open to this host, so that it can be closed at once. */
export type MemberStreams = {
  /** @param closed resolves when it is closed; it is forgotten then */
  add(memberId: string, close: () => void, closed: Promise<unknown>): void
  closeAll(memberId: string): void
  /** The members that have anything open. */
  members(): readonly string[]
  /** Whether the member has anything open. */
  has(memberId: string): boolean
}

export function createMemberStreams(): MemberStreams {
  const open = new Map<string, Set<() => void>>()

  return {
    members: () => [...open.keys()],
    has: (memberId) => open.has(memberId),
    add(memberId, close, closed) {
      const own = open.get(memberId) ?? new Set()
      open.set(memberId, own.add(close))
      void closed.finally(() => {
        own.delete(close)
        if (own.size === 0 && open.get(memberId) === own) open.delete(memberId)
      })
    },
    closeAll(memberId) {
      for (const close of [...(open.get(memberId) ?? [])]) close()
    },
  }
}
