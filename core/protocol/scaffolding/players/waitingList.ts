import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import { Shares, type Standing } from '@lantern-room/base/limits'
import type { Player } from '../../profiles'
import { ROOM_FULL, type RoomCaller } from '../wire/commands'

/** A player who waits for the host's answer, and the connection that it last registered by. */
export type WaitingPlayer = { readonly player: Player; readonly caller: RoomCaller }

export const MAX_WAITING = 64
export const MAX_WAITING_PER_MEMBER = 4
const LIMITS = { perOwner: MAX_WAITING_PER_MEMBER, total: MAX_WAITING }
/** How long a player waits after its last sign; guests of other programs send none while an answer is held for 55 s. */
export const WAITING_EXPIRY_MS = 60_000

/**
 * The players who wait to be let in, by their machine id.
 * @param onChange called when a player was added, has changed its name or vendor, or is given up; not after `remove`
 * @param standing of the members, where too many wait
 */
export function createWaitingList(clock: Clock, onChange: () => void, standing?: () => Standing<string>) {
  const waiting = new Map<string, WaitingPlayer & { readonly stopExpiry: () => void }>()
  /** Machine ids. */
  const shares = new Shares<string, string>(LIMITS, standing)

  return {
    /**
     * Adds a player, or updates its name and vendor, until the caller's connection closes or nothing has come from the player
     * for a minute. Without effect while another member's player with this machine id waits.
     * @throws ServiceError `too-busy` when too many wait
     */
    add(player: Player, caller: RoomCaller): void {
      const { machineId } = player
      const known = waiting.get(machineId)
      // As in the registry: a guest that was killed may be back before its old connection is known to be gone.
      if (known && known.caller.memberId !== caller.memberId) return
      if (!known && !shares.place(caller.memberId, machineId, () => {}, remove))
        throw new ServiceError('too-busy', ROOM_FULL)
      known?.stopExpiry()
      waiting.set(machineId, { player, caller, stopExpiry: startExpiry(machineId, caller) })
      if (known?.player.name !== player.name || known.player.vendor !== player.vendor) onChange()
    },
    remove,
    get: (machineId: string): WaitingPlayer | undefined => waiting.get(machineId),
    of,
    /** In the order in which they came. */
    list: (): readonly WaitingPlayer[] => [...waiting.values()],
  }

  /** Gives the player up unless it has registered by another connection meanwhile. @returns a function that ends this */
  function startExpiry(machineId: string, caller: RoomCaller): () => void {
    const giveUp = () => {
      if (waiting.get(machineId)?.caller !== caller) return
      remove(machineId)
      onChange()
    }
    const cancel = clock.after(WAITING_EXPIRY_MS, giveUp)
    const unsubscribe = onAbort(caller.signal, giveUp)
    return () => {
      cancel()
      unsubscribe()
    }
  }

  function of(memberId: string): readonly Player[] {
    return [...waiting.values()]
      .filter(({ caller }) => caller.memberId === memberId)
      .map(({ player }) => player)
  }

  function remove(machineId: string): void {
    const entry = waiting.get(machineId)
    if (!entry) return
    entry.stopExpiry()
    waiting.delete(machineId)
    shares.remove(entry.caller.memberId, machineId)
  }
}
