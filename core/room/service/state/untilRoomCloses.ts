import { type Clock, sleep } from '#core/async/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../../failure'
import type { GuestConnection } from '../../roomNetwork'
import { createScaffoldingClient } from '../../scaffolding/client'

const AGAIN_MS = 1000
const REMOVED_YOU = 'The host has removed you from the room.'

/**
 * Waits for the host's farewell on a separate connection, which is reopened when it ends; hosts of other programs send none.
 * @throws RoomFailure `room-closed` when the host closes the room, `removed` when it removes this guest; the signal's reason
 */
export async function untilRoomCloses(
  { connection, clock, log }: { connection: GuestConnection; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const news = await listen().catch((error: unknown) => {
      signal.throwIfAborted()
      log.debug('the host’s farewell cannot be heard', { cause: String(error) })
      return 'unsupported'
    })
    if (news === 'closing') throw new RoomFailure('room-closed', 'The host has closed the room.')
    if (news === 'removed') throw new RoomFailure('removed', REMOVED_YOU)
    await sleep(clock, AGAIN_MS, signal)
  }

  async function listen(): Promise<'closing' | 'removed' | 'unsupported'> {
    const { roomPort, isOurs } = connection.host
    if (!isOurs) return 'unsupported'
    const stream = await connection.dial(roomPort, signal)
    const client = createScaffoldingClient(stream, { clock, signal })
    try {
      for (;;) {
        const answer = await client.untilClosing()
        if (answer !== 'open') return answer
      }
    } finally {
      stream.destroy()
    }
  }
}
