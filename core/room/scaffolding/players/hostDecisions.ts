import type { Player } from '../../profiles'
import { type Ban, type Bans, createBans } from './bans'
import { createGuestProofs, type GuestProofs } from './guestProofs'

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
  readonly proofs: GuestProofs
}

/** The host's answers about players, as they are kept for a restart of the program. */
export type KeptDecisions = {
  readonly bans: readonly Ban[]
  /** Machine ids. */
  readonly approved: readonly string[]
  /** The proofs in the form that `GuestProofs` uses. */
  readonly proofs: readonly (readonly [string, string])[]
}

/** @param kept of an earlier run */
export function createHostDecisions(policy: AdmissionPolicy, kept?: KeptDecisions): HostDecisions {
  return {
    policy,
    bans: createBans(kept?.bans),
    approved: new Set(kept?.approved),
    proofs: createGuestProofs(kept?.proofs),
  }
}

export function toKeptDecisions({ bans, approved, proofs }: HostDecisions): KeptDecisions {
  return { bans: bans.all(), approved: [...approved], proofs: proofs.all() }
}
