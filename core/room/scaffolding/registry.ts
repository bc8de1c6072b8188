import { onAbort } from '#core/async/onAbort'
import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Player, Profile } from '../profiles'
import { ROOM_FULL } from './commands'

export type PlayerRegistry = {
  /**
   * Registers a guest, or updates its name and vendor, and restarts its expiry.
   * @param memberId the member that speaks for it
   * @throws ServiceError `conflict` when it uses the host's machine id, `too-busy` when the room is full
   */
  ping(player: Player, memberId: string): void
  /** Removes a guest; without effect on any other id. */
  leave(machineId: string): void
  /** The member that speaks for this player; undefined for the host and for unknown ids. */
  memberOf(machineId: string): string | undefined
  /** The host first, then the guests in the order of their registration. */
  list(): readonly Profile[]
}

export type RegistryOptions = {
  readonly host: Player
  readonly clock: Clock
  /** Called after every change of the list, expiries included. */
  readonly onChange?: (profiles: readonly Profile[]) => void
  /** Ends all timers. */
  readonly signal: AbortSignal
}

/** The host included. */
export const MAX_PLAYERS = 64
/** How long a guest stays after its last ping; it pings every 5 s. */
export const PLAYER_EXPIRY_MS = 15_000

type Guest = { readonly profile: Profile; readonly memberId: string; readonly stopExpiry: () => void }

/** The players of a hosted room, by their machine id. The host never expires; its kind and id cannot be taken. */
export function createPlayerRegistry(options: RegistryOptions): PlayerRegistry {
  const { clock, onChange, signal } = options
  const guests = new Map<string, Guest>()
  const host: Profile = { ...options.host, kind: 'HOST' }
  let profiles: readonly Profile[] = [host]

  const changed = () => {
    profiles = [host, ...[...guests.values()].map(({ profile }) => profile)]
    onChange?.(profiles)
  }

  const expire = (machineId: string) => {
    guests.delete(machineId)
    changed()
  }

  onAbort(signal, () => {
    for (const { stopExpiry } of guests.values()) stopExpiry()
  })

  return {
    list: () => profiles,
    memberOf: (machineId) => guests.get(machineId)?.memberId,
    leave(machineId) {
      guests.get(machineId)?.stopExpiry()
      if (guests.delete(machineId)) changed()
    },
    ping({ name, machineId, vendor }, memberId) {
      if (signal.aborted) return
      if (machineId === host.machineId) {
        throw new ServiceError('conflict', 'This machine_id is the host’s: use one of your own.')
      }
      const known = guests.get(machineId)
      if (!known && guests.size + 1 >= MAX_PLAYERS) throw new ServiceError('too-busy', ROOM_FULL)
      known?.stopExpiry()
      guests.set(machineId, {
        profile: { name, machineId, vendor, kind: 'GUEST' },
        memberId,
        stopExpiry: clock.after(PLAYER_EXPIRY_MS, () => expire(machineId)),
      })
      if (known?.profile.name !== name || known.profile.vendor !== vendor) changed()
    },
  }
}
