import type { Profile } from '@lantern-room/protocol/browser'
import type { PlayerConnection } from '@lantern-room/room/client'
import type { Guest } from './records'

/** A player who came into the room or left it. */
export type Coming = ReturnType<typeof comingsOf>[number]

/**
 * Who is in one list of a room's players and not in the other. The first list of a room is no news, nor is an empty one.
 * @param at milliseconds since 1970
 */
export function comingsOf(before: readonly Profile[], after: readonly Profile[], at: number) {
  if (before.length === 0 || after.length === 0) return []
  const lacking = (from: readonly Profile[], players: readonly Profile[], isIn: boolean) =>
    players
      .filter(({ machineId }) => !from.some((other) => other.machineId === machineId))
      .map(({ name, machineId: id }) => ({ name, id, isIn, at }))
  return [...lacking(after, before, false), ...lacking(before, after, true)]
}

/** More of one group than a household has are shown in one line. */
const MIN_CROWD = 4

/** Members without a player that may be one machine, by their groups. */
export function crowdsOf(guests: readonly Guest[], connections: readonly PlayerConnection[]) {
  const groups = new Map<number, string[]>()
  for (const { id, state } of guests) {
    const group = connections.find(({ machineId }) => machineId === id)?.group
    if (state === 'unregistered' && typeof group === 'number')
      groups.set(group, [...(groups.get(group) ?? []), id])
  }
  return [...groups].flatMap(([group, ids]) => (ids.length >= MIN_CROWD ? [{ group, ids }] : []))
}
