import type { OnRefused } from '../../limitLog'
import type { PeerRecord, ReceivedRecord } from '../../wire/peerRecord'
import type { Row } from '../../wire/routeSync'
import { findNextHops } from './findNextHops'
import { decidePlace, type KnownPeer, MAX_MEMBERS, type MemberStanding } from './memberPlaces'
import { createOwnRoute } from './ownRoute'

/** Limit for members and shared nodes together. */
export const MAX_RECORDS = 256
/** Any member may tell of shared nodes that do not exist: they do not take the places of members. */
const MAX_SHARED_NODES = MAX_RECORDS - MAX_MEMBERS
const MAX_CONNECTED = 256
const FORGET_UNREACHABLE_MS = 90_000
const FORGET_UNRENEWED_MS = 3_660_000

export type RouteTableOptions = {
  readonly record: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>
  readonly unixTime: () => number
  /** @default nothing is told */
  readonly onRefused?: OnRefused | undefined
}

/**
 * What is known of the network: its peers (records), and which of them are connected to which (rows).
 * @see docs/network/protocol.md, "Routes"
 */
export class RouteTable {
  readonly ownId: number
  readonly #options: RouteTableOptions
  readonly #own: ReturnType<typeof createOwnRoute>
  readonly #known = new Map<number, KnownPeer>()
  readonly #rows = new Map<number, Row>()
  #rankOf: ((neighbour: number) => number) | undefined
  #standing: MemberStanding | undefined
  /** Derived from the above; undefined after a change. */
  #nextHops: ReadonlyMap<number, number> | undefined
  #reachableRecords: readonly ReceivedRecord[] | undefined
  #reachableRows: readonly Row[] | undefined

  constructor(options: RouteTableOptions) {
    this.ownId = options.record.peerId
    this.#options = options
    this.#own = createOwnRoute(options.record, options.unixTime)
  }

  /** Of several neighbours that lead to a peer by paths of the same length, the one with the lowest rank is taken from now on. */
  rankNeighbours(rankOf: (neighbour: number) => number): void {
    this.#rankOf = rankOf
  }

  /** Members make room for others by this from now on. Without it newcomers are refused when the table is full. */
  rankMembers(standing: MemberStanding): void {
    this.#standing = standing
  }

  /** Our own record, as others receive it. */
  own(): PeerRecord {
    return this.#own.record()
  }

  /** Changes our record and raises its version. */
  setOwn(change: Partial<Omit<PeerRecord, 'peerId' | 'version'>>): void {
    if (this.#own.setRecord(change)) this.reroute()
  }

  /** Sets our row: the peers that we are connected to. */
  setNeighbours(ids: readonly number[]): void {
    if (this.#own.setNeighbours(ids)) this.reroute()
  }

  /** @returns whether anything is new */
  merge(records: readonly ReceivedRecord[], rows: readonly Row[], now: number): boolean {
    let isNews = false
    for (const record of records) isNews = this.#mergeRecord(record, now) || isNews
    for (const row of rows) isNews = this.#mergeRow(row) || isNews
    if (isNews) this.reroute()
    return isNews
  }

  record(peerId: number): ReceivedRecord | undefined {
    return peerId === this.ownId ? this.#own.record() : this.#known.get(peerId)?.record
  }

  /** Whether there is a record or a row of this peer. */
  isKnown(peerId: number): boolean {
    return this.#rows.has(peerId) || this.record(peerId) !== undefined
  }

  /** Records of the peers that are reachable now, ours included. The same list until something changes. */
  reachableRecords(): readonly ReceivedRecord[] {
    this.#reachableRecords ??= [this.#own.record(), ...this.#otherRecords()]
    return this.#reachableRecords
  }

  /** Rows of the peers that are reachable now, ours included. The same list until something changes. */
  reachableRows(): readonly Row[] {
    this.#reachableRows ??= [
      this.#own.row(),
      ...[...this.#rows.values()].filter(({ peerId }) => this.#reach().has(peerId)),
    ]
    return this.#reachableRows
  }

  isReachable(peerId: number): boolean {
    return peerId === this.ownId || this.#reach().has(peerId)
  }

  /** The neighbour through which a peer is reached: the peer itself if it is one. Undefined when it is unreachable. */
  nextHop(peerId: number): number | undefined {
    return this.#reach().get(peerId)
  }

  /** Whether members are reached through this shared node, or may be: when we are alone, they may appear behind any. */
  mayLeadToMembers(sharedNode: number): boolean {
    const members = this.#otherRecords().filter(({ features }) => !features.isSharedNode)
    return members.length === 0 || members.some(({ peerId }) => this.nextHop(peerId) === sharedNode)
  }

  /** To be called after every change, also of the ranks of neighbours. */
  reroute(): void {
    this.#nextHops = undefined
    this.#reachableRecords = undefined
    this.#reachableRows = undefined
  }

  /** Forgets those of these peers that cannot be reached. */
  forgetUnreachable(peerIds: readonly number[]): void {
    const gone = peerIds.filter((peerId) => !this.isReachable(peerId))
    for (const peerId of gone) this.#forget(peerId)
    if (gone.length > 0) this.reroute()
  }

  /** Forgets peers that were unreachable for long, and renews our record. @returns whether anything changed */
  tick(now: number): boolean {
    const isForgotten = this.#forgetOld(now)
    const isChanged = this.#own.renewWhenDue() || isForgotten
    if (isChanged) this.reroute()
    return isChanged
  }

  /** @returns whether any records were forgotten */
  #forgetOld(now: number): boolean {
    const before = this.#known.size
    for (const [peerId, entry] of this.#known) {
      entry.unreachableSince = this.#reach().has(peerId) ? undefined : (entry.unreachableSince ?? now)
      const isLongGone = now - (entry.unreachableSince ?? now) > FORGET_UNREACHABLE_MS
      if (isLongGone || now - entry.at > FORGET_UNRENEWED_MS) this.#forget(peerId)
    }
    // A row without a record; it is sent again with the row that makes its peer reachable.
    for (const peerId of this.#rows.keys()) {
      if (!this.#known.has(peerId) && !this.#reach().has(peerId)) this.#rows.delete(peerId)
    }
    return this.#known.size < before
  }

  #forget(peerId: number): void {
    this.#known.delete(peerId)
    this.#rows.delete(peerId)
  }

  #otherRecords(): readonly ReceivedRecord[] {
    const records = [...this.#known.values()].map(({ record }) => record)
    return records.filter(({ peerId }) => this.#reach().has(peerId))
  }

  #mergeRecord(record: ReceivedRecord, now: number): boolean {
    const { peerId, version } = record
    if (peerId === 0 || version === 0) return false
    if (peerId === this.ownId) return this.#own.outdo(record)
    const old = this.#known.get(peerId)
    if (old && version <= old.record.version) return false
    const isSameKind = old?.record.features.isSharedNode === record.features.isSharedNode
    if (!isSameKind && !this.#takePlace(record)) return false
    this.#known.set(peerId, { record, at: now, unreachableSince: old?.unreachableSince })
    return true
  }

  #takePlace({ peerId, features }: ReceivedRecord): boolean {
    const { onRefused } = this.#options
    if (features.isSharedNode) {
      const nodes = [...this.#known.values()].filter(({ record }) => record.features.isSharedNode)
      if (nodes.length >= MAX_SHARED_NODES) onRefused?.('records')
      return nodes.length < MAX_SHARED_NODES
    }
    const decision = decidePlace(peerId, this.#known, this.#standing)
    if (decision.kind === 'refuse') onRefused?.('members')
    else if (decision.kind === 'displace') this.#displace(decision.from)
    return decision.kind !== 'refuse'
  }

  #displace(peerId: number): void {
    this.#forget(peerId)
    this.reroute()
    this.#standing?.onDisplaced(peerId)
  }

  #mergeRow(row: Row): boolean {
    const { peerId, version } = row
    if (peerId === 0 || peerId === this.ownId || version === 0) return false
    const old = this.#rows.get(peerId)
    if (old && version <= old.version) return false
    // Rows that nobody has a record for, of which there is no end, take no place of one that has.
    const isOneTooMany = !old && this.#rows.size >= MAX_RECORDS && !this.#known.has(peerId)
    if (isOneTooMany || row.connected.length > MAX_CONNECTED) {
      this.#options.onRefused?.('records')
      return false
    }
    this.#rows.set(peerId, { peerId, version, connected: [...row.connected] })
    return true
  }

  #reach(): ReadonlyMap<number, number> {
    this.#nextHops ??= findNextHops(
      this.#own.row(),
      this.#rows,
      (peerId) => this.#known.get(peerId)?.record.features.avoidsRelay ?? false,
      this.#rankOf,
    )
    return this.#nextHops
  }
}
