import type { Node } from '../../../core/room/overlay/node/node'
import type { PacketTarget } from '../../../core/room/overlay/wire/packet'
import type { Prng } from '../../support/prng'

/** What a lie has at hand. */
export type Mouth = {
  readonly ownId: number
  readonly networkName: string
  readonly chance: Prng
  readonly node: Node
  /** Members and shared nodes. */
  readonly targets: () => readonly number[]
  readonly members: () => readonly number[]
  /** Sends a sealed packet on every link: relays carry it, members hear it. */
  sealed(target: Omit<PacketTarget, 'from'> & { readonly from?: number }, payload: Uint8Array): void
  plain(target: Omit<PacketTarget, 'from'> & { readonly from?: number }, payload: Uint8Array): void
  raw(packet: Uint8Array): void
}
