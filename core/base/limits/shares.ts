/** How many places one owner may have, and all owners together. */
export type ShareLimits = { readonly perOwner: number; readonly total: number }

/**
 * Why a request for a place was denied. `withdrawn`: an owner that asked for nothing loses a place because others ask, which is
 * no fault of its own. `full`: the owner is within its share, but all places are taken and no owner has more of them.
 */
export type Denial = 'refused' | 'full' | 'withdrawn' | 'delayed'

/** Facts about the owners apart from their places. @see docs/decisions.md, D147 */
export type Standing<Owner> = {
  /** Owners of one group may be one machine that poses as many: they have a share together. */
  readonly groupOf: (owner: Owner) => unknown
  /** Whether an owner has shown itself: the others are the first to lose their places. */
  readonly isSettled: (owner: Owner) => boolean
}

/** A decision about a place. `displace`: an owner gives one up; `refuse`: this owner has its share, or as much as any. */
export type ShareDecision<Owner> =
  | { readonly kind: 'admit' }
  | { readonly kind: 'displace'; readonly from: Owner }
  | { readonly kind: 'refuse'; readonly isOverShare: boolean }

/**
 * Decides over one more place for `owner`. While all places are taken, it gets one
 * 1. of an owner that is not settled and has more than it, in the largest group of such owners;
 * 2. of the largest group, if its own group has at least two fewer;
 * 3. of the owner with the most, if it has at least two fewer itself: a newcomer is never shut out by those that take a lot.
 * Within a group it is the owner with the most places, and of several the one that has been there for longest.
 * @see docs/decisions.md, D103
 * @param places those that each owner has, the owner that was there first coming first
 * @param standing asked for only when all places are taken. @default each owner is settled, and a group of its own
 * @example decideShare(connectionsByPeer, peerId, { perOwner: 8, total: 64 }).kind // 'admit', 'displace' or 'refuse'
 */
export function decideShare<Owner>(
  places: ReadonlyMap<Owner, { readonly size: number }>,
  owner: Owner,
  limits: ShareLimits,
  standing?: () => Standing<Owner>,
): ShareDecision<Owner> {
  const own = places.get(owner)?.size ?? 0
  if (own >= limits.perOwner) return { kind: 'refuse', isOverShare: true }
  const all = [...places].map(([each, { size }]) => ({ owner: each, size }))
  if (sizeOf(all) < limits.total) return { kind: 'admit' }
  const from = loserIn(all, { owner, size: own }, standing?.())
  return from ? { kind: 'displace', from: from.owner } : { kind: 'refuse', isOverShare: false }
}

type Holding<Owner> = { readonly owner: Owner; readonly size: number }

function loserIn<Owner>(
  all: readonly Holding<Owner>[],
  newcomer: Holding<Owner>,
  standing?: Standing<Owner>,
): Holding<Owner> | undefined {
  if (standing) {
    const { groupOf, isSettled } = standing
    const unsettled = all.filter(({ owner, size }) => size > newcomer.size && !isSettled(owner))
    if (unsettled.length > 0) return largestOf(largestGroup(unsettled, groupOf))
    const largest = largestGroup(all, groupOf)
    const own = all.filter(({ owner }) => groupOf(owner) === groupOf(newcomer.owner))
    if (sizeOf(largest) >= sizeOf(own) + 2) return largestOf(largest)
  }
  const largest = largestOf(all)
  return largest && largest.size >= newcomer.size + 2 ? largest : undefined
}

function largestGroup<Owner>(
  all: readonly Holding<Owner>[],
  groupOf: (owner: Owner) => unknown,
): readonly Holding<Owner>[] {
  const groups = new Map<unknown, Holding<Owner>[]>()
  for (const each of all) {
    const group = groupOf(each.owner)
    groups.set(group, [...(groups.get(group) ?? []), each])
  }
  return [...groups.values()].reduce((one, other) => (sizeOf(other) > sizeOf(one) ? other : one), [])
}

function largestOf<Owner>(all: readonly Holding<Owner>[]): Holding<Owner> | undefined {
  return all.reduce<Holding<Owner> | undefined>(
    (one, other) => (!one || other.size > one.size ? other : one),
    undefined,
  )
}

function sizeOf(all: readonly Holding<unknown>[]): number {
  return all.reduce((total, { size }) => total + size, 0)
}

/**
 * Places that are held by items of their owners, each of them once.
 * @example
 * const flows = new Shares<number, Flow>({ perOwner: 16, total: 64 })
 * const isAdmitted = flows.place(peerId, flow, (peer, denial) => log.info('refused', { peer, denial }), (one) => one.close())
 */
export class Shares<Owner, Item> {
  readonly #limits: ShareLimits
  readonly #standing: (() => Standing<Owner>) | undefined
  /** Items oldest first. No set is empty. */
  readonly #places = new Map<Owner, Set<Item>>()

  /** @param standing as `decideShare` takes it */
  constructor(limits: ShareLimits, standing?: () => Standing<Owner>) {
    this.#limits = limits
    this.#standing = standing
  }

  /** How many places are taken. */
  get size(): number {
    let size = 0
    for (const items of this.#places.values()) size += items.size
    return size
  }

  /**
   * Gives the item a place, or not.
   * @param onDenied called with the owner that gets no place, or that loses one to this item
   * @param drop called with the newest item of that owner, which has lost its place
   * @returns whether the item has a place
   */
  place(
    owner: Owner,
    item: Item,
    onDenied: (owner: Owner, denial: Denial) => void,
    drop: (item: Item) => void,
  ): boolean {
    const decision = decideShare(this.#places, owner, this.#limits, this.#standing)
    if (decision.kind === 'refuse') {
      onDenied(owner, decision.isOverShare ? 'refused' : 'full')
      return false
    }
    const displaced = decision.kind === 'displace' ? this.of(decision.from).at(-1) : undefined
    if (decision.kind === 'displace' && displaced !== undefined) this.remove(decision.from, displaced)
    const items = this.#places.get(owner)
    if (items) items.add(item)
    else this.#places.set(owner, new Set([item]))
    if (decision.kind === 'displace' && displaced !== undefined) {
      onDenied(decision.from, 'withdrawn')
      drop(displaced)
    }
    return true
  }

  /** Oldest first. */
  of(owner: Owner): readonly Item[] {
    return [...(this.#places.get(owner) ?? [])]
  }

  /** Without effect on an item that has no place. */
  remove(owner: Owner, item: Item): void {
    const items = this.#places.get(owner)
    items?.delete(item)
    if (items?.size === 0) this.#places.delete(owner)
  }
}
