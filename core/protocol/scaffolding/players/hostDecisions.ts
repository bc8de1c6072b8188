import { setNewest } from '@lantern-room/base/limits'
import { z } from 'zod'
import type { Player } from '../../profiles'
import type { RoomCaller } from '../wire/commands'
import { type Bans, createBans, keptBan } from './bans'

/** The rules by which the host lets players in. */
export type AdmissionPolicy = {
  /** Players who are not allowed by name or id wait until the host answers. */
  readonly needsApproval: boolean
  /** Names (in any case) or machine ids. Without approval, and unless it is empty, nobody else is let in. */
  readonly allowed: readonly string[]
}

/** By name, in any case, or by machine id. Names can be chosen freely, ids only by players of other programs. */
export function isAllowed({ name, machineId }: Player, { allowed }: AdmissionPolicy): boolean {
  const lowered = name.toLowerCase()
  return allowed.some((word) => word === machineId || word.toLowerCase() === lowered)
}

/** The host's decisions so far. They outlive a failure of the room, so that a retry lets nobody in who was removed. */
export type HostDecisions = {
  policy: AdmissionPolicy
  readonly bans: Bans
  /** Machine ids. */
  readonly approved: Set<string>
  readonly approvedNames: ApprovedNames
  readonly proofs: GuestProofs
}

/** The host's answers about players, as they are kept for a restart of the program. */
export const keptDecisions = z.object({
  bans: z.array(keptBan).readonly(),
  /** Machine ids. */
  approved: z.array(z.string()).readonly(),
  /** In the form that `ApprovedNames` uses; earlier versions keep none. */
  approvedNames: z
    .array(z.tuple([z.string(), z.string()]).readonly())
    .readonly()
    .optional(),
  /** In the form that `GuestProofs` uses. */
  proofs: z.array(z.tuple([z.string(), z.string()]).readonly()).readonly(),
})

export type KeptDecisions = z.infer<typeof keptDecisions>

/**
 * The decisions of a host at the start of its room.
 * @param kept of an earlier run
 * @example createHostDecisions({ needsApproval: true, allowed: ['Alex'] })
 */
export function createHostDecisions(policy: AdmissionPolicy, kept?: KeptDecisions): HostDecisions {
  return {
    policy,
    bans: createBans(kept?.bans),
    approved: new Set(kept?.approved),
    approvedNames: createApprovedNames(kept?.approvedNames),
    proofs: createGuestProofs(kept?.proofs),
  }
}

/**
 * What is kept of the decisions for a restart, in the form that `createHostDecisions` takes.
 * @example await store.write(JSON.stringify(toKeptDecisions(decisions)))
 */
export function toKeptDecisions({ bans, approved, approvedNames, proofs }: HostDecisions): KeptDecisions {
  return {
    bans: bans.all(),
    approved: [...approved],
    approvedNames: approvedNames.all(),
    proofs: proofs.all(),
  }
}

export type ApprovedNames = ReturnType<typeof createApprovedNames>

/**
 * The names under which players were let in: a copy of a player's data folder has the id as well, and may come while that player is
 * away. @see docs/decisions.md, D160
 * @param kept of an earlier run
 */
function createApprovedNames(kept: readonly (readonly [string, string])[] = []) {
  let pairs = kept
  const isOf = (machineId: string) => (pair: readonly [string, string]) => pair[0] === machineId

  return {
    add(machineId: string, name: string): void {
      pairs = [...pairs, [machineId, name.toLowerCase()] as const].slice(-MAX_KEPT)
    },
    forget(machineId: string): void {
      pairs = pairs.filter((pair) => pair[0] !== machineId)
    },
    /** Whether the host has let this player in by this name, in any case; by each where none is known. */
    includes({ machineId, name }: Player): boolean {
      const own = pairs.filter(isOf(machineId))
      return own.length === 0 || own.some((pair) => pair[1] === name.toLowerCase())
    },
    all: (): readonly (readonly [string, string])[] => pairs,
  }
}

/** Far more than there are players at once. */
const MAX_KEPT = 1024

export type GuestProofs = ReturnType<typeof createGuestProofs>

/**
 * The proofs by which the host of a private room recognises guests. All players see machine ids; proofs are seen by the host
 * alone.
 * @param before the proofs that an earlier run has kept
 */
export function createGuestProofs(before: readonly (readonly [string, string])[] = []) {
  const shown = new WeakMap<RoomCaller, string>()
  const kept = new Map(before)

  return {
    /** Remembers the proof that this connection has shown. */
    note: (proof: Uint8Array, caller: RoomCaller): void => void shown.set(caller, String(proof)),
    /** Keeps what this connection has shown for a player, unless something is kept for it already. @returns whether it did */
    keep(machineId: string, caller: RoomCaller): boolean {
      const proof = shown.get(caller)
      if (proof === undefined || kept.has(machineId)) return false
      setNewest(kept, machineId, proof, MAX_KEPT)
      return true
    },
    has: (machineId: string): boolean => kept.has(machineId),
    /** Whether this connection has shown what is kept for the player. */
    isOf(machineId: string, caller: RoomCaller): boolean {
      const proof = kept.get(machineId)
      return proof !== undefined && proof === shown.get(caller)
    },
    /** Forgets the player's proof, and the other players of the same program with it. */
    forget(machineId: string): void {
      const proof = kept.get(machineId)
      for (const [other, one] of kept) if (one === proof) kept.delete(other)
    },
    /** The kept proofs by machine id, in the form that `createGuestProofs` takes. */
    all: (): readonly (readonly [string, string])[] => [...kept],
  }
}
