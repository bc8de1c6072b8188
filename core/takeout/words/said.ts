import type { Place } from '@lantern-room/formats'

/** What an export says of a photo or a video beside it. */
export type Said = {
  /** Unix time in milliseconds. */
  readonly takenMs: number | undefined
  readonly place: Place | undefined
  readonly description: string | undefined
  readonly isFavourite: boolean
  readonly people: readonly string[]
}

export const NOTHING_SAID: Said = {
  takenMs: undefined,
  place: undefined,
  description: undefined,
  isFavourite: false,
  people: [],
}

/**
 * What two of them say together: the first counts where both say something.
 * @example joinSaid(ofSideCar, ofTable).takenMs
 */
export function joinSaid(one: Said, other: Said): Said {
  return {
    takenMs: one.takenMs ?? other.takenMs,
    place: one.place ?? other.place,
    description: one.description ?? other.description,
    isFavourite: one.isFavourite || other.isFavourite,
    people: [...new Set([...one.people, ...other.people])],
  }
}
