import type { Notice } from './notices'

/** What a host may have to do something about; of several the first is shown. */
const KINDS = ['world', 'room'] as const

/** The hints of a host, of which it is shown one at a time. */
export type HostNotices = {
  set(kind: (typeof KINDS)[number], notice: Notice | null): void
  current(): Notice | null
}

/** @param show called with each current one, also when it has not changed */
export function createHostNotices(show: (notice: Notice | null) => void): HostNotices {
  const notices = new Map<(typeof KINDS)[number], Notice | null>()
  const current = () =>
    KINDS.map((kind) => notices.get(kind) ?? null).find((notice) => notice !== null) ?? null
  return {
    current,
    set(kind, notice) {
      notices.set(kind, notice)
      show(current())
    },
  }
}
