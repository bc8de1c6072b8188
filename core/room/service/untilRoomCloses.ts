import { sleep } from '#core/async/alarm'
import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { RoomFailure } from '../failure'
import type { GuestConnection } from '../ports'
import { createScaffoldingClient } from '../scaffolding/client'

const AGAIN_MS = 1000

/**
 * Listens for the host's farewell by a connection of its own, again and again; hosts of other programs say none.
 * @throws RoomFailure `room-closed` when the host closes the room, the signal's reason
 */
export async function untilRoomCloses(
  { connection, clock, log }: { connection: GuestConnection; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const isClosing = await listen().catch((error: unknown) => {
      signal.throwIfAborted()
      log.debug('the host’s farewell cannot be heard', { cause: String(error) })
      return false
    })
    if (isClosing) throw new RoomFailure('room-closed', 'The host has closed the room.')
    await sleep(clock, AGAIN_MS, signal)
  }

  /** @returns whether the host closes the room; false when it does not understand the question */
  async function listen(): Promise<boolean> {
    const { roomPort, isOurs } = connection.host
    if (!isOurs) return false
    const stream = await connection.dial(roomPort, signal)
    const client = createScaffoldingClient(stream, { clock, signal })
    try {
      for (;;) {
        const answer = await client.untilClosing()
        if (answer !== 'open') return answer === 'closing'
      }
    } finally {
      stream.destroy()
    }
  }
}
