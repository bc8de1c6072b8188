import type { PlayerConnection } from '#core/room/service/state/playerConnections'
import type { Guest } from './records'

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
