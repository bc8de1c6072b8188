import { cleanText } from '@lantern-room/base'
import type { RoomMember } from './members'

/** Who plays, by which program. */
export type Player = {
  readonly name: string
  /** Identifies the player; ours has 32 lower-case hexadecimal digits. */
  readonly machineId: string
  /** Program and launcher, as `Settings.vendor` composes them. */
  readonly vendor: string
}

/** `LOCAL` is the guest whose service this is; it is never sent over the room protocol. */
export type ProfileKind = 'HOST' | 'GUEST' | 'LOCAL'

/** A player of a room, as the list of players shows it. */
export type Profile = Player & { readonly kind: ProfileKind }

/** Shown for a player without a name. */
export const DEFAULT_NAME = { host: 'Host', guest: 'Guest' } as const

/** The longest name of a player that is shown, in code points. */
export const MAX_NAME = 64
const MAX_VENDOR = 256

/** Cleans name and vendor so that they can be shown. The name may become empty. */
export function cleanPlayer({ name, machineId, vendor }: Player): Player {
  return { name: cleanText(name, MAX_NAME), machineId, vendor: cleanText(vendor, MAX_VENDOR) }
}

/**
 * The host's list as a guest shows it: the guest itself is `LOCAL`.
 * @example asSeenBy(player.machineId, await client.profiles())
 */
export function asSeenBy(machineId: string, profiles: readonly Profile[]): Profile[] {
  return profiles.map((profile) =>
    profile.machineId === machineId && profile.kind === 'GUEST' ? { ...profile, kind: 'LOCAL' } : profile,
  )
}

/** From the second player of a name on, in any case, its name gets a number: `Steve`, `Steve (2)`. */
export function withOwnNames(profiles: readonly Profile[]): readonly Profile[] {
  const taken = new Set<string>()
  return profiles.map((profile) => {
    let name = profile.name
    for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${profile.name} (${number})`
    taken.add(name.toLowerCase())
    return { ...profile, name }
  })
}

/**
 * `unregistered`: a member of the network for whom no player is registered. `second-host`: a member that hosts with the same code.
 */
export const GUEST_STATES = ['waiting', 'refused', 'removed', 'unregistered', 'second-host'] as const

/** A player who is not in the room: waits for the host's answer, was refused, or was removed; or a member without a player. */
export type KnownGuest = Readonly<ReturnType<typeof toKnownGuest>>

const MEMBER_PREFIX = 'member:'

/**
 * The id by which the host answers a member itself. No player has such a machine id.
 * @example guestIdOf('1f0c') // 'member:1f0c'
 */
export function guestIdOf(memberId: string): string {
  return `${MEMBER_PREFIX}${memberId}`
}

/**
 * The member that `guestIdOf` has made this id of.
 * @returns undefined when the id is a player's
 * @example memberIdIn('member:1f0c') // '1f0c'
 */
export function memberIdIn(guestId: string): string | undefined {
  return guestId.startsWith(MEMBER_PREFIX) ? guestId.slice(MEMBER_PREFIX.length) : undefined
}

/**
 * A member that has no player, as its host sees it. Its name is what it tells the network of its machine.
 * @example toMemberPlayer({ id: '1f0c', hostname: 'PC-7' }).name // 'PC-7'
 */
export function toMemberPlayer({ id, hostname }: RoomMember): Player {
  return { name: cleanText(hostname, MAX_NAME) || DEFAULT_NAME.guest, machineId: guestIdOf(id), vendor: '' }
}

/**
 * A player, or what `toMemberPlayer` makes of a member, as the host's list of guests shows it.
 * @example toKnownGuest(player, 'waiting') // { id: player.machineId, name, vendor, state }
 */
export function toKnownGuest({ name, machineId, vendor }: Player, state: (typeof GUEST_STATES)[number]) {
  // Of a member without a player it is what `guestIdOf` makes.
  return { id: machineId, name, vendor, state }
}
