import type { RemotePeer } from '#core/easytier/peer/peerOptions'
import { isMember, roomPortOf } from './members'

/** Where guests are: 10.144.144.64 to 250. Hosts and guests of other programs mostly are below. */
const FIRST = 64
const COUNT = 187

export type Addressed = { readonly peerId: number; readonly address: string | undefined }

/** A random address for a guest, none of those that are taken; undefined when all are. */
export function guestAddress(
  randomBytes: (size: number) => Uint8Array,
  taken: ReadonlySet<string> = new Set(),
): string | undefined {
  const [drawn = 0] = randomBytes(1)
  for (let turn = 0; turn < COUNT; turn += 1) {
    const address = `10.144.144.${FIRST + ((drawn + turn) % COUNT)}`
    if (!taken.has(address)) return address
  }
  return undefined
}

/**
 * Whether a guest has to give up its address because another member has the same one. Of two guests of this program the one
 * with the higher peer id does, since both see both. Hosts never do, and other programs may have a configured address, so
 * they keep theirs.
 * @param ownProgram how this program calls itself in its records
 */
export function mustMove(own: Addressed, others: readonly RemotePeer[], ownProgram: string): boolean {
  return others.some((peer) => {
    const { peerId, address, hostname, programVersion } = peer.record
    if (own.address === undefined || address !== own.address || !isMember(peer)) return false
    const isLikeUs = roomPortOf(hostname) === undefined && programVersion === ownProgram
    return !isLikeUs || peerId < own.peerId
  })
}

/** The addresses that members have. */
export function addressesOf(peers: readonly RemotePeer[]): ReadonlySet<string> {
  return new Set(peers.flatMap(({ record }) => record.address ?? []))
}
