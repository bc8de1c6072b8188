import type { Clock } from '#core/async/clock'
import { setNewest } from '#core/boundedMemory'
import type { Player } from '../profiles'

/** For how long after its last ping a player's name is kept for the member that registered it. */
export const RESERVED_MS = 60_000
/** Several times the players of a room. */
const MAX_RESERVED = 256

/** The names of players whose member may be away for a moment. Whoever knows a machine id could use it meanwhile. */
export type ReservedNames = {
  /** The member has just registered this player. Without effect while the name is reserved for another one. */
  renew(player: Player, memberId: string): void
  /** The player has left. */
  free(machineId: string): void
  /** The player as its member registered it last, and that member; undefined when nothing is reserved. */
  get(machineId: string): { readonly player: Player; readonly memberId: string } | undefined
}

type Reservation = { readonly player: Player; readonly memberId: string; readonly until: number }

export function createReservedNames(clock: Clock): ReservedNames {
  const reservations = new Map<string, Reservation>()

  return {
    renew(player, memberId) {
      const { machineId } = player
      const holder = valid(machineId)?.memberId
      if (holder !== undefined && holder !== memberId) return
      const until = clock.now() + RESERVED_MS
      setNewest(reservations, machineId, { player, memberId, until }, MAX_RESERVED)
    },
    free: (machineId) => void reservations.delete(machineId),
    get: valid,
  }

  function valid(machineId: string): Reservation | undefined {
    const reservation = reservations.get(machineId)
    return reservation && clock.now() < reservation.until ? reservation : undefined
  }
}
