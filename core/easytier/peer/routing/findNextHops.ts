import type { Row } from '../../wire/routeSync'

/** Rows can name more peers than there are records; the nearest are enough. */
const MAX_REACHABLE = 1024

/**
 * The first hop to every peer, on a path with the fewest hops; of several, on the one that begins with the neighbour of the
 * lowest rank. Paths lead through peers that avoid relaying only where there is no other.
 * @param rows which peers each peer is connected to
 * @returns for every reachable peer the neighbour to send to
 */
export function findNextHops(
  { peerId: ownId, connected }: Row,
  rows: ReadonlyMap<number, Row>,
  avoidsRelay: (peerId: number) => boolean,
  rankOf: (neighbour: number) => number = () => 0,
): ReadonlyMap<number, number> {
  const nextHops = new Map<number, number>(connected.map((peerId) => [peerId, peerId]))
  const avoided = new Set<number>()
  const queue = byRank(connected, rankOf)
  const expand = (relay: number) => {
    const hop = nextHops.get(relay)
    for (const peerId of rows.get(relay)?.connected ?? []) {
      if (peerId === ownId || nextHops.has(peerId) || hop === undefined) continue
      if (nextHops.size >= MAX_REACHABLE) return
      nextHops.set(peerId, hop)
      queue.push(peerId)
    }
  }
  const expandAll = () => {
    for (let peerId = queue.shift(); peerId !== undefined; peerId = queue.shift()) {
      if (avoidsRelay(peerId)) avoided.add(peerId)
      else expand(peerId)
    }
  }
  expandAll()
  // Grows while it is iterated over.
  for (const peerId of avoided) {
    expand(peerId)
    expandAll()
  }
  return nextHops
}

function byRank(neighbours: readonly number[], rankOf: (neighbour: number) => number): number[] {
  const ranks = new Map(neighbours.map((peerId) => [peerId, rankOf(peerId)]))
  return [...neighbours].sort((one, other) => (ranks.get(one) ?? 0) - (ranks.get(other) ?? 0))
}
