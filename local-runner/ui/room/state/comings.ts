import type { Profile } from '#core/room/profiles'

/** A player who came into the room or left it. */
export type Coming = Pick<Profile, 'name'> & {
  readonly id: string
  readonly isIn: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Who is in one list of a room's players and not in the other. The first list of a room is no news, nor is an empty one. */
export function comingsOf(
  before: readonly Profile[],
  after: readonly Profile[],
  at: number,
): readonly Coming[] {
  if (before.length === 0 || after.length === 0) return []
  const lacking = (from: readonly Profile[], players: readonly Profile[], isIn: boolean) =>
    players
      .filter(({ machineId }) => !from.some((other) => other.machineId === machineId))
      .map(({ name, machineId: id }) => ({ name, id, isIn, at }))
  return [...lacking(after, before, false), ...lacking(before, after, true)]
}
