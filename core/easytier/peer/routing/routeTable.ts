import type { OnRefused } from '../../limitLog'
import type { PeerRecord, ReceivedRecord } from '../../wire/peerRecord'
import type { Row } from '../../wire/routeSync'
import { findNextHops } from './findNextHops'
import { decidePlace, type KnownPeer, type MemberStanding } from './memberPlaces'
import { createOwnRoute } from './ownRoute'

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
  /** Whether members are reached through this shared node, or may be: when we are alone, they may appear behind any. */
  mayLeadToMembers(sharedNode: number): boolean
  /** To be called when ranks of neighbours have changed. */
  reroute(): void
  /** Forgets those of these peers that cannot be reached. */
  forgetUnreachable(peerIds: readonly number[]): void
  /** Forgets peers that were unreachable for long, and renews our record. @returns whether anything changed */
  tick(now: number): boolean
}

/** Of members and shared nodes together. */
export const MAX_RECORDS = 256
const MAX_CONNECTED = 256
const FORGET_UNREACHABLE_MS = 90_000
const FORGET_UNRENEWED_MS = 3_660_000

/**
 * @param standing without it newcomers are refused
 * @param rankOf where several neighbours lead to a peer by paths of the same length, the one with the lowest rank is taken
 * @see docs/network/protocol.md, "Routes"
 */
export function createRouteTable(
  ownRecord: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>,
  unixTime: () => number,
  onRefused: OnRefused = () => {},
  rankOf: (neighbour: number) => number = () => 0,
  standing?: MemberStanding,
): RouteTable {
  const ownId = ownRecord.peerId
  const known = new Map<number, KnownPeer>()
  const rows = new Map<number, Row>()
  const own = createOwnRoute(ownRecord, unixTime)
  /** Derived from the above; undefined after a change. */
  let nextHops: ReadonlyMap<number, number> | undefined
  let reachableRecords: readonly ReceivedRecord[] | undefined
  let reachableRows: readonly Row[] | undefined

  return {
    ownId,
    own: own.record,

    setOwn(change) {
      if (own.setRecord(change)) invalidate()
    },

    setNeighbours(ids) {
      if (own.setNeighbours(ids)) invalidate()
    },

    merge(records, newRows, now) {
      let isNews = false
      for (const record of records) isNews = mergeRecord(record, now) || isNews
      for (const row of newRows) isNews = mergeRow(row) || isNews
      if (isNews) invalidate()
      return isNews
    },

    record: (peerId) => (peerId === ownId ? own.record() : known.get(peerId)?.record),
    reachableRecords() {
      const found = () => [...known.values()].map(({ record }) => record).filter(isReached)
      reachableRecords ??= [own.record(), ...found()]
      return reachableRecords
    },
    reachableRows() {
      reachableRows ??= [own.row(), ...[...rows.values()].filter(isReached)]
      return reachableRows
    },
    isReachable: (peerId) => peerId === ownId || reach().has(peerId),
    nextHop: (peerId) => reach().get(peerId),
    mayLeadToMembers,
    reroute: invalidate,

    forgetUnreachable(peerIds) {
      const gone = peerIds.filter((peerId) => peerId !== ownId && !reach().has(peerId))
      for (const peerId of gone) {
        known.delete(peerId)
        rows.delete(peerId)
      }
      if (gone.length > 0) invalidate()
    },

    tick(now) {
      const isForgotten = forgetOld(now)
      const isChanged = own.renewWhenDue() || isForgotten
      if (isChanged) invalidate()
      return isChanged
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

  function mergeRecord(record: ReceivedRecord, now: number): boolean {
    const { peerId, version } = record
    if (peerId === 0 || version === 0) return false
    if (peerId === ownId) return own.outdo(record)
    const old = known.get(peerId)
    if (old && version <= old.record.version) return false
    if (!old && !takePlace(record)) return false
    known.set(peerId, { record, at: now, unreachableSince: old?.unreachableSince })
    return true
  }

  function takePlace({ peerId, features }: ReceivedRecord): boolean {
    if (known.size >= MAX_RECORDS) {
      onRefused('records')
      return false
    }
    if (features.isSharedNode) return true
    const decision = decidePlace(peerId, known, standing)
    if (decision.kind === 'refuse') onRefused('members')
    else if (decision.kind === 'displace') displace(decision.from)
    return decision.kind !== 'refuse'
  }

  function displace(peerId: number): void {
    known.delete(peerId)
    rows.delete(peerId)
    invalidate()
    standing?.onDisplaced(peerId)
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

  function mayLeadToMembers(sharedNode: number): boolean {
    const others = [...known.values()].map(({ record }) => record).filter(isReached)
    const members = others.filter(({ features }) => !features.isSharedNode)
    return members.length === 0 || members.some(({ peerId }) => reach().get(peerId) === sharedNode)
  }

  function reach(): ReadonlyMap<number, number> {
    nextHops ??= findNextHops(
      own.row(),
      rows,
      (peerId) => known.get(peerId)?.record.features.avoidsRelay ?? false,
      rankOf,
    )
    return nextHops
  }
}
