import { networkInterfaces } from 'node:os'
import type { Clock } from '#core/async/clock'
import { isOwnAddress, type NetworkInterfaces, ownAddresses } from '../network/networkInterfaces'

const RESCAN_MS = 1000

/** @returns a function that tells whether an address is one of this machine's. It scans the interfaces at most once a second. */
export function createOwnAddresses(
  clock: Clock,
  scan: () => NetworkInterfaces = networkInterfaces,
): (address: string | undefined) => boolean {
  let known: ReadonlySet<string> = new Set()
  let scannedAt = Number.NEGATIVE_INFINITY

  return (address = '') => {
    if (isOwnAddress(address, known)) return true
    if (clock.now() - scannedAt < RESCAN_MS) return false
    scannedAt = clock.now()
    known = ownAddresses(scan())
    return isOwnAddress(address, known)
  }
}
