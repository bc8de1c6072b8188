import { z } from 'zod'
import { type KnownGuest, type Player, toKnownGuest } from '../../profiles'

/** The host's answer to one player. */
export const keptBan = z.object({
  player: z.object({ name: z.string(), machineId: z.string(), vendor: z.string() }),
  state: z.enum(['refused', 'removed']),
  /** Where the player came from: its member, and the network from which that connected directly. Those are banned with it. */
  origin: z.object({ memberId: z.string().optional(), address: z.string().optional() }),
})

type Ban = Readonly<z.infer<typeof keptBan>>

export const NOWHERE: Ban['origin'] = {}

export type Bans = ReturnType<typeof createBans>

/**
 * The players that the host has refused or removed.
 * @param kept bans of an earlier run, in their order
 */
export function createBans(kept: readonly Ban[] = []) {
  const bans = new Map(kept.map((ban) => [ban.player.machineId, ban]))
  const all = (): readonly Ban[] => [...bans.values()]

  return {
    /** A player has one ban at most: the last one counts. */
    add(player: Player, state: Ban['state'], origin: Ban['origin']): void {
      bans.set(player.machineId, { player, state, origin })
    },
    /**
     * Takes a player's ban back, if there is one. Other players of the same member stay banned, but the member and its
     * address are not.
     */
    lift(machineId: string): void {
      const memberId = bans.get(machineId)?.origin.memberId
      bans.delete(machineId)
      if (memberId === undefined) return
      for (const [other, ban] of bans) {
        if (ban.origin.memberId === memberId) bans.set(other, { ...ban, origin: NOWHERE })
      }
    },
    stateOf: (machineId: string): Ban['state'] | undefined => bans.get(machineId)?.state,
    /** The fate of a member's players: `removed` if one of them was. */
    stateOfMember(memberId: string): Ban['state'] | undefined {
      const states = all().flatMap(({ state, origin }) => (origin.memberId === memberId ? state : []))
      return states.includes('removed') ? 'removed' : states[0]
    },
    hasRemoved: (): boolean => all().some(({ state }) => state === 'removed'),
    /** How many banned members connected from this address. */
    membersAt(address: string): number {
      const origins = all().map(({ origin }) => origin)
      return new Set(origins.filter((one) => one.address === address).map(({ memberId }) => memberId)).size
    },
    /** In the order of the bans. */
    list: (): readonly KnownGuest[] => all().map(({ player, state }) => toKnownGuest(player, state)),
    /** The bans in the form that `createBans` takes. */
    all,
    isEmpty: (): boolean => bans.size === 0,
  }
}
