import type { Peer } from '#internal/easytier/peer/peer'
import type { PacketTarget } from '#internal/easytier/wire/packet'
import type { Prng } from '#support/values/prng'

/** Of the game that the host exposes, inside the network. */
export const HOST_ADDRESS = 0x0a909001
export const GAME_PORT = 25_565

/** What a lie has at hand. */
export type AttackContext = {
  readonly ownId: number
  readonly networkName: string
  readonly chance: Prng
  readonly node: Peer
  /** Members and shared nodes. */
  readonly targets: () => readonly number[]
  readonly members: () => readonly number[]
  /** Sends a sealed packet on every link: relays carry it, members hear it. */
  sealed(target: Omit<PacketTarget, 'from'> & { readonly from?: number }, payload: Uint8Array): void
  plain(target: Omit<PacketTarget, 'from'> & { readonly from?: number }, payload: Uint8Array): void
  raw(packet: Uint8Array): void
}
