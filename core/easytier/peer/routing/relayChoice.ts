import type { PeerRecord } from '../../wire/peerRecord'

export type RelayChoiceOptions = {
  readonly connections: {
    neighbours(): readonly number[]
    best(
      peerId: number,
    ): { readonly isSharedNode: boolean; readonly roundTrip: number | undefined } | undefined
    isResponsive(peerId: number): boolean
  }
  readonly record: (peerId: number) => PeerRecord | undefined
  /** Whether what is sent over this neighbour is answered. */
  readonly isTrusted: (neighbour: number) => boolean
  /** Whether this member has offered to relay for others, beyond what its program does for everybody. */
  readonly offersRelay: (record: PeerRecord) => boolean
}

const RANKS = { offered: 0, sharedNode: 1, other: 2 } as const

/** How much longer the round trip to a member may be than the one to the nearest shared node: until it is left, and taken again. */
const LEFT_AT = { factor: 2, extraMs: 30 }
const TAKEN_AT = { factor: 1.5, extraMs: 20 }

/**
 * Which neighbour carries packets to a peer that several of them lead to, by paths of the same length.
 * Members that have offered to relay come before shared nodes, while they and those behind them answer, and they are not much
 * farther away. Shared nodes come before members that have not offered it.
 */
export function createRelayChoice(options: RelayChoiceOptions) {
  const { connections, record, offersRelay } = options
  const tooFar = new Set<number>()
  let lastRanks: ReadonlyMap<number, number> = new Map()

  return {
    rankOf,
    /** To be called now and then. @returns whether a neighbour has another rank than at the last call */
    update(): boolean {
      const neighbours = connections.neighbours()
      for (const peerId of tooFar) if (!neighbours.includes(peerId)) tooFar.delete(peerId)
      for (const peerId of neighbours) measure(peerId)
      const before = lastRanks
      const ranks = new Map(neighbours.map((peerId) => [peerId, rankOf(peerId)]))
      lastRanks = ranks
      return [...ranks].some(([peerId, rank]) => rank !== (before.get(peerId) ?? rank))
    },
  }

  /** The lowest is taken. */
  function rankOf(peerId: number): number {
    if (isSharedNode(peerId)) return RANKS.sharedNode
    const known = record(peerId)
    const isOffered = known !== undefined && offersRelay(known)
    return isOffered && isGood(peerId) ? RANKS.offered : RANKS.other
  }

  function isGood(peerId: number): boolean {
    return connections.isResponsive(peerId) && !tooFar.has(peerId) && options.isTrusted(peerId)
  }

  function measure(peerId: number): void {
    const own = connections.best(peerId)?.roundTrip
    const nearest = nearestNode()
    const { factor, extraMs } = tooFar.has(peerId) ? TAKEN_AT : LEFT_AT
    const isTooFar = own !== undefined && nearest !== undefined && own > nearest * factor + extraMs
    if (isTooFar) tooFar.add(peerId)
    else tooFar.delete(peerId)
  }

  /** Its round trip. */
  function nearestNode(): number | undefined {
    const roundTrips = connections
      .neighbours()
      .filter((peerId) => isSharedNode(peerId) && connections.isResponsive(peerId))
      .flatMap((peerId) => connections.best(peerId)?.roundTrip ?? [])
    return roundTrips.length === 0 ? undefined : Math.min(...roundTrips)
  }

  function isSharedNode(peerId: number): boolean {
    return connections.best(peerId)?.isSharedNode ?? false
  }
}
