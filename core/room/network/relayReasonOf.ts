import { isSymmetric, type NatType, natTypes } from '#core/easytier/nat/natType'
import type { RelayReason } from '../relayReasons'

/** Searching for a direct path takes so long at most where there is one. */
const SEARCH_MS = 20_000

/** What is known of the two ends of a relayed path. */
export type RelayedPair = {
  readonly isDirectHere: boolean
  readonly isDirectThere: boolean
  /** Of the UDP sockets. */
  readonly natHere: NatType
  readonly natThere: NatType
  /** Since the member is reached through a relay only. */
  readonly relayedMs: number
}

/** Why two members have no direct connection. @see docs/network/nat-traversal.md */
export function relayReasonOf(pair: RelayedPair): RelayReason {
  const { natHere, natThere } = pair
  if (!pair.isDirectHere) return 'direct-off-here'
  if (!pair.isDirectThere) return 'direct-off-there'
  if (pair.relayedMs < SEARCH_MS) return 'searching'
  if (isSymmetric(natHere) && isSymmetric(natThere)) return 'strict-routers'
  if (natHere === natTypes.unknown) return 'no-udp-here'
  return natThere === natTypes.unknown ? 'no-udp-there' : 'not-found'
}
