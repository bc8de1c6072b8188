/** What a day of a client counts. */
export const KINDS = ['photos', 'seconds', 'bytes'] as const
export type Kind = (typeof KINDS)[number]

/** Motion photos that were made; seconds of previews; bytes of the files that they were made from. */
export type Usage = Readonly<Partial<Record<Kind, number>>>
export type Totals = Readonly<Record<Kind, number>>

export const NOTHING: Totals = { photos: 0, seconds: 0, bytes: 0 }

/** @param sign -1 for what is given back; a day has never less than nothing */
export function addUsage(totals: Totals, used: Usage, sign: 1 | -1 = 1): Totals {
  const sum = (kind: Kind) => Math.max(0, totals[kind] + sign * (used[kind] ?? 0))
  return { photos: sum('photos'), seconds: thousandths(sum('seconds')), bytes: sum('bytes') }
}

/** Without the errors of adding fractions. */
function thousandths(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/**
 * The quota that so much more would exceed. Work whose amount is not known yet needs some of it to be left.
 * @param more 0 = not known yet; undefined = none of that kind
 * @returns undefined when there is room
 */
export function exceeded(quota: Usage, totals: Totals, more: Usage): Kind | undefined {
  return KINDS.find((kind) => {
    const [limit, added] = [quota[kind], more[kind]]
    if (limit === undefined || added === undefined) return false
    return totals[kind] >= limit || totals[kind] + added > limit
  })
}
