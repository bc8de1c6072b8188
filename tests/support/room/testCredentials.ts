import type { HostCredentials } from '#core/room/ports'
import { generatePrivateRoomCode } from '#core/room/roomCode'
import { createHostIdentity } from '#core/room/scaffolding/identity'

/** The key and certificate of a host. @param host the same number gives the same key */
export function testCredentials(host = 1): HostCredentials {
  const room = generatePrivateRoomCode(() => 0)
  return createHostIdentity(new Uint8Array(32).fill(host), room).credentials
}
