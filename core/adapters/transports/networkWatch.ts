import type { Clock } from '#core/clock'
import type { NetworkInterfaces } from '../lan/interfaces'

const LOOK_MS = 2000
/** If this much more time passed on the wall clock than the timer was set to, the machine was asleep. */
const SLEPT_MS = 10_000

export type NetworkWatch = {
  /** @returns a function that removes the listener */
  onChange(listener: () => void): () => void
}

/** Polls the interfaces and the clock while there is a listener: Node gets no event for either. */
export function createNetworkWatch(clock: Clock, scan: () => NetworkInterfaces): NetworkWatch {
  const listeners = new Set<() => void>()
  let known = ''
  let lookedAt = 0
  let cancel = () => {}

  function watch(): void {
    known = fingerprint(scan())
    lookedAt = clock.unixTime()
    cancel = clock.after(LOOK_MS, look)
  }

  function look(): void {
    const before = { known, lookedAt }
    watch()
    const hasSlept = lookedAt - before.lookedAt > LOOK_MS + SLEPT_MS
    if (!hasSlept && known === before.known) return
    for (const listener of [...listeners]) listener()
  }

  return {
    onChange(listener) {
      // A new function each time, so that the same listener may be added twice.
      const own = () => listener()
      if (listeners.size === 0) watch()
      listeners.add(own)
      return () => {
        if (listeners.delete(own) && listeners.size === 0) cancel()
      }
    },
  }
}

/** Loopback never matters to other machines. */
function fingerprint(all: NetworkInterfaces): string {
  return Object.entries(all)
    .flatMap(([name, infos]) =>
      (infos ?? [])
        .filter(({ internal }) => !internal)
        .map(({ cidr, address }) => `${name} ${cidr ?? address}`),
    )
    .sort()
    .join('\n')
}
