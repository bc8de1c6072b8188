import type { Clock } from '#core/clock'
import { ServiceError } from '#core/errors'
import type { Player, Profile } from '../profiles'
import { ROOM_FULL } from './commands'

export type PlayerRegistry = {
  /**
   * Handles a guest's ping: registers it, or updates its name and vendor.
   * @throws ServiceError `conflict` when it uses the host's machine id, `too-busy` when the room is full
   */
  ping(player: Player): void
  /** The host first, then guests in the order in which they joined. */
  list(): readonly Profile[]
  /** Changes the host's name. */
  renameHost(names: Pick<Player, 'name' | 'vendor'>): void
}

export type RegistryOptions = {
  readonly host: Player
  readonly clock: Clock
  /** Called after every change of the list, including expiries. */
  readonly onChange?: (profiles: readonly Profile[]) => void
  /** Ends all timers. */
  readonly signal: AbortSignal
}

/** Including the host. */
export const MAX_PLAYERS = 64
/** How long a guest stays after its last ping; it pings every 5 s. */
export const PLAYER_EXPIRY_MS = 15_000

type Guest = { readonly profile: Profile; readonly stopExpiry: () => void }

/** The players of a hosted room, by their machine id. The host never expires; its kind and id cannot be taken. */
export function createPlayerRegistry(options: RegistryOptions): PlayerRegistry {
  const { clock, onChange, signal } = options
  const guests = new Map<string, Guest>()
  let host: Profile = { ...options.host, kind: 'HOST' }
  let profiles: readonly Profile[] = [host]

  const changed = () => {
    profiles = [host, ...[...guests.values()].map(({ profile }) => profile)]
    onChange?.(profiles)
  }

  const expire = (machineId: string) => {
    guests.delete(machineId)
    changed()
  }

  signal.addEventListener(
    'abort',
    () => {
      for (const { stopExpiry } of guests.values()) stopExpiry()
    },
    { once: true },
  )

  return {
    list: () => profiles,
    ping({ name, machineId, vendor }) {
      if (signal.aborted) return
      if (machineId === host.machineId) {
        throw new ServiceError('conflict', 'This machine_id is the host’s: use one of your own.')
      }
      const known = guests.get(machineId)
      if (!known && guests.size + 1 >= MAX_PLAYERS) throw new ServiceError('too-busy', ROOM_FULL)
      known?.stopExpiry()
      guests.set(machineId, {
        profile: { name, machineId, vendor, kind: 'GUEST' },
        stopExpiry: clock.after(PLAYER_EXPIRY_MS, () => expire(machineId)),
      })
      if (known?.profile.name !== name || known.profile.vendor !== vendor) changed()
    },
    renameHost({ name, vendor }) {
      if (name === host.name && vendor === host.vendor) return
      host = { ...host, name, vendor }
      changed()
    },
  }
}
