import { fromHex, toHex } from '@lantern-room/base/bytes'
import type { RoomCode } from '@lantern-room/protocol'
import { z } from 'zod'
import type { KeepingDependencies } from './roomKeeper'
import { createRoomTable } from './roomTable'

export type KnownHosts = ReturnType<typeof createKnownHosts>

/**
 * The keys that hosts of private rooms have proved to this machine, so that a later join accepts no other host.
 * @see docs/decisions.md, D121
 */
export function createKnownHosts(kept: Omit<KeepingDependencies, 'clock'> & { readonly secret: Uint8Array }) {
  const { store, secret, log } = kept
  const value = z.string().regex(/^[0-9a-f]{64}$/)
  const keys = createRoomTable({ store, secret, log, value, name: 'known host' })

  return {
    /** Ed25519, 32 bytes; undefined for an open room, and for one that was not joined before. */
    async keyOf(room: RoomCode): Promise<Uint8Array | undefined> {
      const hex = room.privacy === 'open' ? undefined : await keys.get(room)
      return hex === undefined ? undefined : fromHex(hex)
    },
    /** Notes the key in place of the one before; without effect for an open room. Never rejects. */
    remember: (room: RoomCode, key: Uint8Array): Promise<void> =>
      room.privacy === 'open' ? Promise.resolve() : keys.set(room, toHex(key)),
  }
}
