import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/clock'

const RESCAN_MS = 1000

/** Whether an address is one of this machine's. */
export function createOwnAddresses(
  clock: Clock,
  scan: typeof networkInterfaces = networkInterfaces,
): (address: string | undefined) => boolean {
  let known: ReadonlySet<string> = new Set()
  let scannedAt = Number.NEGATIVE_INFINITY

  return (given) => {
    const address = plain(given ?? '')
    if (address.startsWith('127.') || address === '::1' || known.has(address)) return true
    // Rescanned at most once per interval, because other machines can trigger it as often as they like.
    if (clock.now() - scannedAt < RESCAN_MS) return false
    scannedAt = clock.now()
    known = new Set(Object.values(scan()).flatMap((all) => (all ?? []).map((one) => plain(one.address))))
    return known.has(address)
  }
}

/** Without the scope of IPv6. */
function plain(address: string): string {
  return address.replace(/%.*$/, '').toLowerCase()
}
