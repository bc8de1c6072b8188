/** How many places one owner may have, and all owners together. */
export type ShareLimits = { readonly perOwner: number; readonly total: number }

/** Who gets a place. `displace`: the owner with the most gives one up; `refuse`: this owner has its share, or as much as any. */
export type ShareDecision<Owner> =
  | { readonly kind: 'admit' }
  | { readonly kind: 'displace'; readonly from: Owner }
  | { readonly kind: 'refuse'; readonly isOverShare: boolean }

/**
 * Decides over one more place for `owner`. While all places are taken, an owner that has at least two fewer than the one
 * with the most gets one of that owner's: a newcomer is never shut out by those that take a lot.
 * @param counts the places that each owner has
 */
export function decideShare<Owner>(
  counts: ReadonlyMap<Owner, number>,
  owner: Owner,
  limits: ShareLimits,
): ShareDecision<Owner> {
  const own = counts.get(owner) ?? 0
  if (own >= limits.perOwner) return { kind: 'refuse', isOverShare: true }
  let total = 0
  let largest: { readonly owner: Owner; readonly count: number } | undefined
  for (const [each, count] of counts) {
    total += count
    if (!largest || count > largest.count) largest = { owner: each, count }
  }
  if (total < limits.total) return { kind: 'admit' }
  if (!largest || largest.count < own + 2) return { kind: 'refuse', isOverShare: false }
  return { kind: 'displace', from: largest.owner }
}

/** Places that are held by items of their owners. */
export type Shares<Owner, Item> = {
  /**
   * Gives the item a place, or not.
   * @returns with `displace` the newest item of that owner, which has lost its place to this one
   */
  add(owner: Owner, item: Item): Taken<Owner, Item>
  /** Without effect on an item that has no place. */
  remove(owner: Owner, item: Item): void
  /** Oldest first. */
  of(owner: Owner): readonly Item[]
  readonly size: number
}

export type Taken<Owner, Item> =
  | Exclude<ShareDecision<Owner>, { readonly kind: 'displace' }>
  | { readonly kind: 'displace'; readonly from: Owner; readonly item: Item }

export function createShares<Owner, Item>(limits: ShareLimits): Shares<Owner, Item> {
  const places = new Map<Owner, Item[]>()

  return {
    add(owner, item) {
      const decision = decideShare(countsOf(places), owner, limits)
      if (decision.kind === 'refuse') return decision
      const displaced = decision.kind === 'displace' ? places.get(decision.from)?.at(-1) : undefined
      if (decision.kind === 'displace' && displaced !== undefined) remove(decision.from, displaced)
      places.set(owner, [...(places.get(owner) ?? []), item])
      if (decision.kind === 'admit' || displaced === undefined) return { kind: 'admit' }
      return { kind: 'displace', from: decision.from, item: displaced }
    },
    remove,
    of: (owner) => places.get(owner) ?? [],
    get size() {
      let size = 0
      for (const items of places.values()) size += items.length
      return size
    },
  }

  function remove(owner: Owner, item: Item): void {
    const left = (places.get(owner) ?? []).filter((each) => each !== item)
    if (left.length > 0) places.set(owner, left)
    else places.delete(owner)
  }
}

function countsOf<Owner, Item>(places: ReadonlyMap<Owner, readonly Item[]>): ReadonlyMap<Owner, number> {
  return new Map([...places].map(([owner, items]) => [owner, items.length]))
}
