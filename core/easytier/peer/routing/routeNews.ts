import { oncePer } from '@lantern-room/base/limits'
import type { ReceivedRecord } from '../../wire/peerRecord'
import type { Row } from '../../wire/routeSync'

/** Together with all rows this stays within the 64 KiB of a call. */
const MAX_RECORDS_SIZE = 40_000
const RECORD_HEADER_SIZE = 4
const MAX_COLUMNS = 256

export type Versioned = { readonly peerId: number; readonly version: number }

/** The versions that a neighbour has, by peer id. */
export type KnownVersions = {
  readonly peerId: number
  readonly records: ReadonlyMap<number, number>
  readonly rows: ReadonlyMap<number, number>
}

/** The records and rows that a neighbour lacks. */
export type RouteNews = ReturnType<typeof newsFor>

/**
 * What of the table the neighbour lacks, as much as fits into one call. Its own record is never sent: with another route id
 * than its current one it would make the neighbour stop.
 */
export function newsFor(neighbour: KnownVersions, records: readonly ReceivedRecord[], rows: readonly Row[]) {
  const isOther = ({ peerId }: { readonly peerId: number }) => peerId !== neighbour.peerId
  const missing = records.filter((record) => isOther(record) && lacks(neighbour.records, record))
  const fitting = firstRecords(missing)
  const allRows = rowsThatFit(rows)
  const hasNewRow = allRows.some((row) => isOther(row) && lacks(neighbour.rows, row))
  return { records: fitting, rows: hasNewRow ? allRows : [], hasMore: fitting.length < missing.length }
}

/** As many as fit into one call, at least one. */
function firstRecords(records: readonly ReceivedRecord[]): readonly ReceivedRecord[] {
  let size = 0
  const end = records.findIndex(({ raw }) => {
    size += raw.length + RECORD_HEADER_SIZE
    return size > MAX_RECORDS_SIZE
  })
  return end < 0 ? records : records.slice(0, Math.max(1, end))
}

/**
 * Peers read no larger table than this. Rows that would exceed it, which only a lying peer reports, are left out. All neighbours
 * are told of the same list.
 */
const rowsThatFit = oncePer((rows: readonly Row[]): readonly Row[] => {
  const columns = new Set<number>()
  return rows.filter(({ peerId, connected }) => {
    const added = [peerId, ...connected].filter((id) => !columns.has(id))
    if (columns.size + new Set(added).size > MAX_COLUMNS) return false
    for (const id of added) columns.add(id)
    return true
  })
})

function lacks(known: ReadonlyMap<number, number>, { peerId, version }: Versioned): boolean {
  return (known.get(peerId) ?? 0) < version
}
