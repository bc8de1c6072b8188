import type { OnRefused } from '../limitLog'
import { encodePeerRecord, type PeerRecord, type ReceivedRecord } from '../wire/peerRecord'
import type { Row } from '../wire/routeSync'
import { findNextHops } from './findNextHops'

/** What is known of the network: its peers (records), and which of them are connected to which (rows). */
export type RouteTable = {
  readonly ownId: number
  /** Our own record, as others receive it. */
  own(): PeerRecord
  /** Changes our record and raises its version. */
  setOwn(change: Partial<Omit<PeerRecord, 'peerId' | 'version'>>): void
  /** Sets our row: the peers that we are connected to. */
  setNeighbours(ids: readonly number[]): void
  /** @returns whether anything is new */
  merge(records: readonly ReceivedRecord[], rows: readonly Row[], now: number): boolean
  record(peerId: number): ReceivedRecord | undefined
  /** Records and rows of peers that are reachable now, ours included. The same lists until something changes. */
  reachableRecords(): readonly ReceivedRecord[]
  reachableRows(): readonly Row[]
  isReachable(peerId: number): boolean
  /** The neighbour through which a peer is reached: the peer itself if it is one. Undefined when it is unreachable. */
  nextHop(peerId: number): number | undefined
  /** Forgets those of these peers that cannot be reached. */
  forgetUnreachable(peerIds: readonly number[]): void
  /** Forgets peers that were unreachable for long, and renews our record. @returns whether anything changed */
  tick(now: number): boolean
}

/** Of members and shared nodes together. */
export const MAX_RECORDS = 256
export const MAX_MEMBERS = 64
const MAX_CONNECTED = 256
const FORGET_UNREACHABLE_MS = 90_000
const FORGET_UNRENEWED_MS = 3_660_000
const RENEW_MS = 1_800_000
/** No run of a peer reaches this version; beyond it ours could soon not be raised any further. */
const MAX_OWN_VERSION = 0x7fff_ffff

type Known = { readonly record: ReceivedRecord; readonly at: number; unreachableSince: number | undefined }

/** @see docs/network/protocol.md, "Routes" */
export function createRouteTable(
  ownRecord: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>,
  unixTime: () => number,
  onRefused: OnRefused = () => {},
): RouteTable {
  const ownId = ownRecord.peerId
  const known = new Map<number, Known>()
  const rows = new Map<number, Row>()
  let own = sealRecord({ ...ownRecord, version: 1, updatedAtUnixMs: unixTime() })
  let ownRow: Row = { peerId: ownId, version: 1, connected: [] }
  let renewedAt = unixTime()
  /** Derived from the above; undefined after a change. */
  let nextHops: ReadonlyMap<number, number> | undefined
  let reachableRecords: readonly ReceivedRecord[] | undefined
  let reachableRows: readonly Row[] | undefined

  return {
    ownId,
    own: () => own,

    setOwn(change) {
      const next = { ...own, ...change }
      if (JSON.stringify({ ...next, raw: 0 }) === JSON.stringify({ ...own, raw: 0 })) return
      renew(next)
    },

    setNeighbours(ids) {
      const connected = [...ids].sort((a, b) => a - b)
      if (connected.join() === ownRow.connected.join()) return
      ownRow = { peerId: ownId, version: ownRow.version + 1, connected }
      invalidate()
    },

    merge(records, newRows, now) {
      let isNews = false
      for (const record of records) isNews = mergeRecord(record, now) || isNews
      for (const row of newRows) isNews = mergeRow(row) || isNews
      if (isNews) invalidate()
      return isNews
    },

    record: (peerId) => (peerId === ownId ? own : known.get(peerId)?.record),
    reachableRecords() {
      const found = () => [...known.values()].map(({ record }) => record).filter(isReached)
      reachableRecords ??= [own, ...found()]
      return reachableRecords
    },
    reachableRows() {
      reachableRows ??= [ownRow, ...[...rows.values()].filter(isReached)]
      return reachableRows
    },
    isReachable: (peerId) => peerId === ownId || reach().has(peerId),
    nextHop: (peerId) => reach().get(peerId),

    forgetUnreachable(peerIds) {
      const gone = peerIds.filter((peerId) => peerId !== ownId && !reach().has(peerId))
      for (const peerId of gone) {
        known.delete(peerId)
        rows.delete(peerId)
      }
      if (gone.length > 0) invalidate()
    },

    tick(now) {
      const isRenewalDue = unixTime() - renewedAt > RENEW_MS
      const isForgotten = forgetOld(now)
      if (isRenewalDue) renew(own)
      if (isForgotten) invalidate()
      return isForgotten || isRenewalDue
    },
  }

  /** @returns whether there were any */
  function forgetOld(now: number): boolean {
    const before = known.size
    for (const [peerId, entry] of known) {
      entry.unreachableSince = reach().has(peerId) ? undefined : (entry.unreachableSince ?? now)
      const isLongGone = now - (entry.unreachableSince ?? now) > FORGET_UNREACHABLE_MS
      if (!isLongGone && now - entry.at <= FORGET_UNRENEWED_MS) continue
      known.delete(peerId)
      rows.delete(peerId)
    }
    return known.size < before
  }

  /** To be called after every change. */
  function invalidate(): void {
    nextHops = undefined
    reachableRecords = undefined
    reachableRows = undefined
  }

  function isReached({ peerId }: { readonly peerId: number }): boolean {
    return reach().has(peerId)
  }

  function renew(record: PeerRecord): void {
    invalidate()
    renewedAt = unixTime()
    own = sealRecord({ ...record, peerId: ownId, version: own.version + 1, updatedAtUnixMs: renewedAt })
  }

  function mergeRecord(record: ReceivedRecord, now: number): boolean {
    const { peerId, version } = record
    if (peerId === 0 || version === 0) return false
    if (peerId === ownId) return outdo(record)
    const old = known.get(peerId)
    if (old && version <= old.record.version) return false
    if (!old && isFull(record)) return false
    known.set(peerId, { record, at: now, unreachableSince: old?.unreachableSince })
    return true
  }

  /** Another record of ours comes from an earlier run, or from a peer that lies: our current one has to be newer. */
  function outdo({ routeId, version }: ReceivedRecord): boolean {
    if (version < own.version || version > MAX_OWN_VERSION) return false
    if (routeId === own.routeId && version === own.version) return false
    own = { ...own, version }
    renew(own)
    return true
  }

  function isFull({ features }: ReceivedRecord): boolean {
    const isTooMany = known.size >= MAX_RECORDS
    // Ours is one of them.
    const members = () => 1 + [...known.values()].filter(({ record }) => !record.features.isSharedNode).length
    const isCrowded = !isTooMany && !features.isSharedNode && members() >= MAX_MEMBERS
    if (isTooMany || isCrowded) onRefused(isTooMany ? 'records' : 'members')
    return isTooMany || isCrowded
  }

  function mergeRow(row: Row): boolean {
    const { peerId, version } = row
    if (peerId === 0 || peerId === ownId || version === 0) return false
    const old = rows.get(peerId)
    if (old && version <= old.version) return false
    if ((!old && rows.size >= MAX_RECORDS) || row.connected.length > MAX_CONNECTED) {
      onRefused('records')
      return false
    }
    rows.set(peerId, { peerId, version, connected: [...row.connected] })
    return true
  }

  function reach(): ReadonlyMap<number, number> {
    nextHops ??= findNextHops(
      ownRow,
      rows,
      (peerId) => known.get(peerId)?.record.features.avoidsRelay ?? false,
    )
    return nextHops
  }
}

function sealRecord(record: PeerRecord): ReceivedRecord {
  return { ...record, raw: encodePeerRecord(record) }
}
