import type { OnRefused } from '../limitLog'
import { encodePeerRecord, type PeerRecord, type ReceivedRecord } from '../wire/peerRecord'
import type { Row } from '../wire/routeSync'

/** What is known of the network: who is there (records), and who is connected to whom (rows). */
export type RouteTable = {
  readonly ownId: number
  /** Our own record as it is told to others. */
  own(): PeerRecord
  /** Changes our record, which gets the next version. */
  setOwn(change: Partial<Omit<PeerRecord, 'peerId' | 'version'>>): void
  /** Peers that we have a connection to: our row. */
  setNeighbours(ids: readonly number[]): void
  /** @returns whether anything is new */
  merge(records: readonly ReceivedRecord[], rows: readonly Row[], now: number): boolean
  record(peerId: number): ReceivedRecord | undefined
  /** What can be told: records and rows of peers that are reachable now, ours included. The same lists until something changes. */
  reachableRecords(): readonly ReceivedRecord[]
  reachableRows(): readonly Row[]
  isReachable(peerId: number): boolean
  /** The neighbour through which a peer is reached; itself when it is one. Undefined = no way. */
  nextHop(peerId: number): number | undefined
  /** Forgets who was not reachable for long, and renews our record. @returns whether anything changed */
  tick(now: number): boolean
}

/** Of members and shared nodes together. */
export const MAX_RECORDS = 256
export const MAX_MEMBERS = 64
const MAX_CONNECTED = 256
/** Rows can name more peers than there can be records of; the nearest are enough. */
const MAX_REACHABLE = 1024
const FORGET_UNREACHABLE_MS = 90_000
const FORGET_UNRENEWED_MS = 3_660_000
const RENEW_MS = 1_800_000
/** No run of a peer changes its record so often; beyond, ours could not be the newer one for long. */
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
  let ways: ReadonlyMap<number, number> | undefined
  let toldRecords: readonly ReceivedRecord[] | undefined
  let toldRows: readonly Row[] | undefined

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
      forget()
    },

    merge(records, newRows, now) {
      let isNews = false
      for (const record of records) isNews = mergeRecord(record, now) || isNews
      for (const row of newRows) isNews = mergeRow(row) || isNews
      if (isNews) forget()
      return isNews
    },

    record: (peerId) => (peerId === ownId ? own : known.get(peerId)?.record),
    reachableRecords() {
      const found = () => [...known.values()].map(({ record }) => record).filter(isReached)
      toldRecords ??= [own, ...found()]
      return toldRecords
    },
    reachableRows() {
      toldRows ??= [ownRow, ...[...rows.values()].filter(isReached)]
      return toldRows
    },
    isReachable: (peerId) => peerId === ownId || reach().has(peerId),
    nextHop: (peerId) => reach().get(peerId),

    tick(now) {
      let isChanged = false
      for (const [peerId, entry] of known) {
        if (reach().has(peerId)) entry.unreachableSince = undefined
        else entry.unreachableSince ??= now
        const isLongGone = now - (entry.unreachableSince ?? now) > FORGET_UNREACHABLE_MS
        if (!isLongGone && now - entry.at <= FORGET_UNRENEWED_MS) continue
        known.delete(peerId)
        rows.delete(peerId)
        isChanged = true
      }
      if (unixTime() - renewedAt > RENEW_MS) {
        renew(own)
        isChanged = true
      }
      if (isChanged) forget()
      return isChanged
    },
  }

  /** To be called after every change. */
  function forget(): void {
    ways = undefined
    toldRecords = undefined
    toldRows = undefined
  }

  function isReached({ peerId }: { readonly peerId: number }): boolean {
    return reach().has(peerId)
  }

  function renew(record: PeerRecord): void {
    forget()
    renewedAt = unixTime()
    own = sealRecord({ ...record, peerId: ownId, version: own.version + 1, updatedAtUnixMs: renewedAt })
  }

  function mergeRecord(record: ReceivedRecord, now: number): boolean {
    const { peerId, version } = record
    if (peerId === 0 || version === 0) return false
    if (peerId === ownId) {
      // An old run of ours, or somebody who lies: ours has to be the newer one.
      if (version < own.version || version > MAX_OWN_VERSION) return false
      if (record.routeId === own.routeId && version === own.version) return false
      own = { ...own, version }
      renew(own)
      return true
    }
    const old = known.get(peerId)
    if (old && version <= old.record.version) return false
    if (!old && isFull(record)) return false
    known.set(peerId, { record, at: now, unreachableSince: old?.unreachableSince })
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
    ways ??= findWays(
      ownId,
      ownRow,
      rows,
      (peerId) => known.get(peerId)?.record.features.avoidsRelay ?? false,
    )
    return ways
  }
}

/**
 * The first step to every peer on a way with the fewest hops. Through peers that avoid to relay only where there is no
 * other way.
 */
function findWays(
  ownId: number,
  ownRow: Row,
  rows: ReadonlyMap<number, Row>,
  avoidsRelay: (peerId: number) => boolean,
): ReadonlyMap<number, number> {
  const ways = new Map<number, number>(ownRow.connected.map((peerId) => [peerId, peerId]))
  const unwilling: number[] = []
  const queue = [...ownRow.connected]
  const goOn = () => {
    for (let peerId = queue.shift(); peerId !== undefined; peerId = queue.shift()) {
      if (avoidsRelay(peerId) && !unwilling.includes(peerId)) {
        unwilling.push(peerId)
        continue
      }
      const way = ways.get(peerId)
      for (const next of rows.get(peerId)?.connected ?? []) {
        if (next === ownId || ways.has(next) || way === undefined || ways.size >= MAX_REACHABLE) continue
        ways.set(next, way)
        queue.push(next)
      }
    }
  }
  goOn()
  for (let at = 0; at < unwilling.length; at += 1) {
    const peerId = unwilling[at]
    if (peerId === undefined) continue
    queue.push(peerId)
    goOn()
  }
  return ways
}

function sealRecord(record: PeerRecord): ReceivedRecord {
  return { ...record, raw: encodePeerRecord(record) }
}
