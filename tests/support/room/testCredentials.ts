import { createPrivateKey, createPublicKey } from 'node:crypto'
import { generatePrivateRoomCode } from '@lantern-room/room'
import type { HostCredentials } from '@lantern-room/room/ports'
import { createHostIdentity } from '#internal/room/scaffolding/identity'

/** The key and certificate of a host. @param host the same number gives the same key */
export function testCredentials(host = 1): HostCredentials {
  const room = generatePrivateRoomCode(() => 0)
  return createHostIdentity(new Uint8Array(32).fill(host), room).credentials
}

/** The public key, 32 bytes. */
export function keyOfCredentials({ privateKey }: HostCredentials): Uint8Array {
  const publicKey = createPublicKey(createPrivateKey(privateKey))
  return new Uint8Array(publicKey.export({ format: 'der', type: 'spki' })).slice(-32)
}
