import { ServiceError } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { onAbort } from '@lantern-room/base/async'
import { type Denial, Shares, type Standing, setNewest } from '@lantern-room/base/limits'
import type { OnOverShare } from '../../members'
import { type Player, type Profile, withOwnNames } from '../../profiles'
import { MEMBER_FULL, ROOM_FULL } from '../wire/commands'
import type { IdHolder } from './sharedIds'

export type RegistryOptions = {
  readonly host: Player
  readonly clock: Clock
  /** Whether a member is in the network. @default those that have registered players are */
  readonly isConnected?: (memberId: string) => boolean
  /** @default nothing is told */
  readonly onOverShare?: OnOverShare
  /** Called with the member that spoke for a player before, when another one does. @default nothing is called */
  readonly onReplaced?: (memberId: string) => void
  /** Called after every change of the list, expiries included. @default nothing is called */
  readonly onChange?: (profiles: readonly Profile[]) => void
  /** Decides between members when the room is full. @default each member is a group of its own */
  readonly standing?: () => Standing<string>
  readonly signal: AbortSignal
}

/** The host included. */
export const MAX_PLAYERS = 64
/** A member is one player, or several launchers on one machine. */
export const MAX_PLAYERS_PER_MEMBER = 4
const HOSTS_ID = 'This machine_id is the host’s: use one of your own.'
const LIMITS = { perOwner: MAX_PLAYERS_PER_MEMBER, total: MAX_PLAYERS - 1 }
/** How long a guest stays after its last ping; it pings every 5 s. */
const PLAYER_EXPIRY_MS = 15_000

type Guest = { readonly profile: Profile; readonly memberId: string; readonly stopExpiry: () => void }

export type PlayerRegistry = ReturnType<typeof createPlayerRegistry>

/**
 * The players of a hosted room, by their machine id. The host never expires; its kind and id cannot be taken.
 * @example
 * const registry = createPlayerRegistry({ host: player, clock, signal })
 * registry.ping(guest, memberId)
 */
export function createPlayerRegistry(options: RegistryOptions) {
  const { clock, onChange, onReplaced, signal, isConnected = () => true, onOverShare = () => {} } = options
  const guests = new Map<string, Guest>()
  /** Machine ids. */
  const shares = new Shares<string, string>(LIMITS, options.standing)
  const names = createReservedNames(clock)
  const host: Profile = { ...options.host, kind: 'HOST' }
  let profiles: readonly Profile[] = [host]

  const changed = () => {
    profiles = withOwnNames([host, ...[...guests.values()].map(({ profile }) => profile)])
    onChange?.(profiles)
  }

  const remove = (machineId: string) => {
    const guest = guests.get(machineId)
    if (!guest) return
    guest.stopExpiry()
    guests.delete(machineId)
    shares.remove(guest.memberId, machineId)
  }

  /** @throws ServiceError `too-busy` unless another member has lost a place */
  const onDenied = (memberId: string, denial: Denial) => {
    onOverShare(memberId, 'players', denial)
    if (denial !== 'withdrawn')
      throw new ServiceError('too-busy', denial === 'refused' ? MEMBER_FULL : ROOM_FULL)
  }

  const takePlace = (machineId: string, memberId: string, before: string | undefined) => {
    if (before === memberId) return
    shares.place(memberId, machineId, onDenied, remove)
    if (before !== undefined) shares.remove(before, machineId)
  }

  /** Whether it belongs to another member that is connected. */
  const isOfAnother = (machineId: string, memberId: string): boolean => {
    const owner = names.get(machineId)?.memberId
    if (owner === memberId) return false
    const speakers = [owner, guests.get(machineId)?.memberId]
    return speakers.some((one) => one !== undefined && one !== memberId && isConnected(one))
  }

  onAbort(signal, () => {
    for (const { stopExpiry } of guests.values()) stopExpiry()
  })

  return {
    /** The host first, then the guests in the order of their registration. Equal names are told apart. */
    list: (): readonly Profile[] => profiles,
    /** The name of a guest that another player has, too. */
    sharedName: (): string | undefined =>
      [...guests.values()].find(({ profile }, at) => profile.name !== profiles[at + 1]?.name)?.profile.name,
    idsOf: (memberId: string): readonly string[] => [...shares.of(memberId)],
    namesOf: (memberId: string): readonly string[] =>
      shares.of(memberId).flatMap((machineId) => guests.get(machineId)?.profile.name ?? []),
    /** The member that speaks for this player; undefined for the host and for unknown ids. */
    memberOf: (machineId: string): string | undefined => guests.get(machineId)?.memberId,
    /** Who has this machine id, or has had it a moment ago; undefined for the host's. */
    holderOf(machineId: string): IdHolder | undefined {
      const reserved = names.get(machineId)
      if (reserved) return { name: reserved.player.name, memberId: reserved.memberId }
      const guest = guests.get(machineId)
      return guest && { name: guest.profile.name, memberId: guest.memberId }
    },
    /** Removes a guest whose program is back as another member. */
    release(machineId: string): void {
      names.free(machineId)
      if (!guests.has(machineId)) return
      remove(machineId)
      changed()
    },
    /** Removes a guest of this member. @returns whether it was one */
    leave(machineId: string, memberId: string): boolean {
      if (guests.get(machineId)?.memberId !== memberId) return false
      remove(machineId)
      names.free(machineId)
      changed()
      return true
    },
    /**
     * Registers a guest, or updates its name and vendor, and restarts its expiry. Without effect while the machine id belongs
     * to another member that is connected: the other one is not renamed, and a guest that has returned as another member,
     * before the old one is known to be gone, is not told to leave. After a member has left, its player keeps its name for a
     * minute, also while another member sends its pings, and is given back to that member.
     * @param memberId the member that speaks for it
     * @throws ServiceError `conflict` for the host's machine id, `too-busy` when the room is full or the member has its share
     */
    ping(player: Player, memberId: string) {
      const { machineId } = player
      if (signal.aborted) return
      if (machineId === host.machineId) throw new ServiceError('conflict', HOSTS_ID)
      if (isOfAnother(machineId, memberId)) return onOverShare(memberId, 'machine-ids')
      const known = guests.get(machineId)
      const former = known?.memberId
      takePlace(machineId, memberId, known?.memberId)
      known?.stopExpiry()
      names.renew(player, memberId)
      const { name, vendor } = names.get(machineId)?.player ?? player
      guests.set(machineId, {
        profile: { name, machineId, vendor, kind: 'GUEST' },
        memberId,
        stopExpiry: clock.after(PLAYER_EXPIRY_MS, () => {
          remove(machineId)
          changed()
        }),
      })
      if (known?.profile.name !== name || known.profile.vendor !== vendor) changed()
      if (former !== undefined && former !== memberId) onReplaced?.(former)
    },
  }
}

/** For how long after its last ping a player's name is kept for the member that registered it. */
const RESERVED_MS = 60_000
/** Several times the players of a room. */
const MAX_RESERVED = 256

type Reservation = { readonly player: Player; readonly memberId: string; readonly until: number }

/** Reserves the names of players whose member may be away for a moment: any member that knows a machine id could use it meanwhile. */
function createReservedNames(clock: Clock) {
  const reservations = new Map<string, Reservation>()

  return {
    /** The member has just registered this player. Without effect while the name is reserved for another one. */
    renew(player: Player, memberId: string): void {
      const { machineId } = player
      const holder = valid(machineId)?.memberId
      if (holder !== undefined && holder !== memberId) return
      const until = clock.now() + RESERVED_MS
      setNewest(reservations, machineId, { player, memberId, until }, MAX_RESERVED)
    },
    free: (machineId: string): void => void reservations.delete(machineId),
    /** The player as its member registered it last, and that member; undefined when nothing is reserved. */
    get: valid,
  }

  function valid(machineId: string): Reservation | undefined {
    const reservation = reservations.get(machineId)
    return reservation && clock.now() < reservation.until ? reservation : undefined
  }
}
