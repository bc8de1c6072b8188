import type { Clock } from '#core/async/clock'
import { interfaceAddresses, type NetworkInterfaces } from '../network/networkInterfaces'

const SCAN_EVERY_MS = 2000
/** When the wall clock has advanced by so much more than the timer was set to, the machine was asleep. */
const SLEPT_MS = 10_000

/** Polls the interfaces and the clock while there are listeners: Node has no events for either. */
export function createNetworkWatch(clock: Clock, scan: () => NetworkInterfaces) {
  const listeners = new Set<() => void>()
  let known = ''
  let scannedAt = 0
  let cancel = () => {}

  function scanNow(): void {
    known = fingerprint(scan())
    scannedAt = clock.unixTime()
    cancel = clock.after(SCAN_EVERY_MS, checkForChange)
  }

  function checkForChange(): void {
    const before = { known, scannedAt }
    scanNow()
    const hasSlept = scannedAt - before.scannedAt > SCAN_EVERY_MS + SLEPT_MS
    if (!hasSlept && known === before.known) return
    for (const listener of [...listeners]) listener()
  }

  return {
    /** @returns a function that unsubscribes */
    onChange(listener: () => void): () => void {
      // A function may subscribe twice.
      const own = () => listener()
      if (listeners.size === 0) scanNow()
      listeners.add(own)
      return () => {
        if (listeners.delete(own) && listeners.size === 0) cancel()
      }
    },
  }
}

/** Without loopback, which does not change what other machines can reach. */
function fingerprint(all: NetworkInterfaces): string {
  return interfaceAddresses(all)
    .filter(({ info }) => !info.internal)
    .map(({ name, info: { cidr, address } }) => `${name} ${cidr ?? address}`)
    .sort()
    .join('\n')
}
