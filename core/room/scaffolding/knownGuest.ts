import type { Player } from '../profiles'

export const GUEST_STATES = ['waiting', 'refused', 'removed'] as const

/** A player who is not in the room: waits for the host's answer, was refused, or was removed. */
export type KnownGuest = {
  /** The machine id. */
  readonly id: string
  readonly name: string
  readonly vendor: string
  readonly state: (typeof GUEST_STATES)[number]
}

export function toKnownGuest({ name, machineId, vendor }: Player, state: KnownGuest['state']): KnownGuest {
  return { id: machineId, name, vendor, state }
}
