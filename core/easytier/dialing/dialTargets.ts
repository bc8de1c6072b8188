import type { Clock } from '@lantern-room/base/async'
import { createTokenBuckets } from '@lantern-room/base/limits'
import { type OwnMachine, refusalOf } from '@lantern-room/base/network'
import { formatNodeUrl, type NodeUrl } from '../wire/socketAddress'

/** Listeners of one member. */
const MAX_TARGETS = 32
/** After so many failures a listener is not dialled again, */
const MAX_FAILURES = 3
/** until the member's list is begun anew. */
const RENEW_MS = 600_000
/** The budget of all members together: three rounds for a room that fills at once, then a few each second. */
const TOTAL = { perSecond: 8, burst: 512 }

/** By the text of each listener: how often it has failed. */
type OfMember = { readonly since: number; readonly failures: Map<string, number> }

/**
 * Which of the listeners that members tell us of are dialled, and how often.
 * Members tell addresses that cannot be checked before they are dialled: without bounds a member could make us scan our own
 * network, or others.
 */
export function createDialTargets(clock: Clock, machine: OwnMachine, onOverShare: (peerId: number) => void) {
  const members = new Map<number, OfMember>()
  const total = createTokenBuckets(clock, TOTAL)

  return {
    /** Whether to dial this listener of a member now. */
    take(peerId: number, url: NodeUrl): boolean {
      if (!isDialable(url, machine)) return false
      const { failures } = ofMember(members, peerId, clock.now())
      const key = formatNodeUrl(url)
      const failed = failures.get(key)
      if (failed === undefined && failures.size >= MAX_TARGETS) {
        onOverShare(peerId)
        return false
      }
      if ((failed ?? 0) >= MAX_FAILURES || !total.take('all')) return false
      failures.set(key, failed ?? 0)
      return true
    },
    failed(peerId: number, url: NodeUrl): void {
      const { failures } = ofMember(members, peerId, clock.now())
      const key = formatNodeUrl(url)
      const failed = failures.get(key)
      if (failed !== undefined) failures.set(key, failed + 1)
    },
    /** The member has gone, or is connected. */
    forget: (peerId: number): void => void members.delete(peerId),
  }
}

function ofMember(members: Map<number, OfMember>, peerId: number, now: number): OfMember {
  const known = members.get(peerId)
  if (known && now - known.since < RENEW_MS) return known
  const fresh = { since: now, failures: new Map<string, number>() }
  members.set(peerId, fresh)
  return fresh
}

/** Whether an address that a member has told may be dialled. */
export function isDialable({ scheme, host, port, path }: NodeUrl, machine: OwnMachine): boolean {
  return refusalOf({ origin: 'member', scheme, host, port, path, address: host }, machine) === undefined
}
