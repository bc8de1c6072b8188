/** How many places one owner may have, and all owners together. */
export type ShareLimits = { readonly perOwner: number; readonly total: number }

/**
 * What becomes of what is more than a share. A place can also be withdrawn from an owner that asks for nothing, because others
 * ask: that is no fault of its own. `full`: refused though it is within its share, because all places are taken and nobody has more
 * of them.
 */
export type Denial = 'refused' | 'full' | 'withdrawn' | 'delayed'

/** Who gets a place. `displace`: the owner with the most gives one up; `refuse`: this owner has its share, or as much as any. */
export type ShareDecision<Owner> =
  | { readonly kind: 'admit' }
  | { readonly kind: 'displace'; readonly from: Owner }
  | { readonly kind: 'refuse'; readonly isOverShare: boolean }

/**
 * Decides over one more place for `owner`. While all places are taken, an owner that has at least two fewer than the one
 * with the most gets one of that owner's: a newcomer is never shut out by those that take a lot.
 * @see docs/decisions.md, D103
 * @param places those that each owner has
 */
export function decideShare<Owner>(
  places: ReadonlyMap<Owner, { readonly size: number }>,
  owner: Owner,
  limits: ShareLimits,
): ShareDecision<Owner> {
  const own = places.get(owner)?.size ?? 0
  if (own >= limits.perOwner) return { kind: 'refuse', isOverShare: true }
  let total = 0
  let largest: { readonly owner: Owner; readonly size: number } | undefined
  for (const [each, { size }] of places) {
    total += size
    if (!largest || size > largest.size) largest = { owner: each, size }
  }
  if (total < limits.total) return { kind: 'admit' }
  if (!largest || largest.size < own + 2) return { kind: 'refuse', isOverShare: false }
  return { kind: 'displace', from: largest.owner }
}

/** Places that are held by items of their owners, each of them once. */
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
  /** Items oldest first. No set is empty. */
  const places = new Map<Owner, Set<Item>>()

  return {
    add(owner, item) {
      const decision = decideShare(places, owner, limits)
      if (decision.kind === 'refuse') return decision
      const displaced = decision.kind === 'displace' ? itemsOf(decision.from).at(-1) : undefined
      if (decision.kind === 'displace' && displaced !== undefined) remove(decision.from, displaced)
      place(owner, item)
      if (decision.kind === 'admit' || displaced === undefined) return { kind: 'admit' }
      return { kind: 'displace', from: decision.from, item: displaced }
    },
    remove,
    of: itemsOf,
    get size() {
      let size = 0
      for (const items of places.values()) size += items.size
      return size
    },
  }

  function itemsOf(owner: Owner): readonly Item[] {
    return [...(places.get(owner) ?? [])]
  }

  function place(owner: Owner, item: Item): void {
    const items = places.get(owner)
    if (items) items.add(item)
    else places.set(owner, new Set([item]))
  }

  function remove(owner: Owner, item: Item): void {
    const items = places.get(owner)
    items?.delete(item)
    if (items?.size === 0) places.delete(owner)
  }
}
