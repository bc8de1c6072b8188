import { randomBytes } from 'node:crypto'
import { createTlsStreams } from '@lantern-room/adapters/tls'
import type { Clock } from '@lantern-room/base/async'
import { type RoomCode, readRoomCode } from '@lantern-room/protocol'
import { createRoomNetwork } from '@lantern-room/room/network'
import { silentLog } from '../values/testLog'

type Options = Parameters<typeof createRoomNetwork>[0]

/** The room network over any transports, without STUN servers, and without shared nodes unless some are given. */
export function testRoomNetwork(
  options: Pick<Options, 'transports'> & { readonly clock: Clock } & Partial<Options>,
): ReturnType<typeof createRoomNetwork> {
  return createRoomNetwork({
    secureStreams: createTlsStreams(),
    nodes: [],
    stunServers: [],
    isDirect: true,
    log: silentLog(),
    version: '0',
    randomBytes: (size) => new Uint8Array(randomBytes(size)),
    ...options,
  })
}

/** The room of a code. @throws where it is none */
export function roomOf(text: string): RoomCode {
  const { code } = readRoomCode(text)
  if (!code) throw new Error(`no room code: ${text}`)
  return code
}
