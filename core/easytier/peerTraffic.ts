import type { Clock } from '@lantern-room/base/async'
import { setNewest } from '@lantern-room/base/limits'
import { MAX_RECORDS } from './peer/routing/routeTable'

/** Payload bytes that were exchanged with a member since it was first met: streams and datagrams, headers included. */
export type TrafficTotals = { readonly sent: number; readonly received: number }

type Entry = { sent: number; received: number; receivedAt: number | undefined }

const NOTHING: TrafficTotals = { sent: 0, received: 0 }

/** Counts the bytes sent to and received from each member, and notes when it last sent something. */
export function createPeerTraffic(clock: Clock) {
  const entries = new Map<number, Entry>()

  return {
    noteSent(peerId: number, bytes: number): void {
      entryOf(peerId).sent += bytes
    },
    noteReceived(peerId: number, bytes: number): void {
      const entry = entryOf(peerId)
      entry.received += bytes
      entry.receivedAt = clock.now()
    },
    totals: (peerId: number): TrafficTotals => entries.get(peerId) ?? NOTHING,
    /** When it last sent a payload, in the clock's time. */
    receivedAt: (peerId: number): number | undefined => entries.get(peerId)?.receivedAt,
  }

  /** Bounded, because a member may use ever new ids. */
  function entryOf(peerId: number): Entry {
    const known = entries.get(peerId)
    if (known) return known
    const entry: Entry = { sent: 0, received: 0, receivedAt: undefined }
    setNewest(entries, peerId, entry, MAX_RECORDS)
    return entry
  }
}
