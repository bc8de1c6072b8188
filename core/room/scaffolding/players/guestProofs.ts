import { setNewest } from '#core/boundedMemory'
import type { RoomCaller } from '../wire/commands'

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
