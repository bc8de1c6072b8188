import { RoomFailure } from '../failure'
import type { NetworkConnection } from '../ports'

/**
 * Rejects when the network goes down by itself; never resolves. Its rejection is marked as handled.
 * @throws RoomFailure of the network, or `network-failed`
 */
export function networkDown(connection: NetworkConnection): Promise<never> {
  const down = new Promise<never>((_, reject) => {
    connection.onEvent((event) => {
      if (event.kind === 'down') reject(toRoomFailure(event.error))
    })
  })
  down.catch(() => undefined)
  return down
}

function toRoomFailure(error: unknown): RoomFailure {
  if (error instanceof RoomFailure) return error
  return new RoomFailure('network-failed', 'The virtual network has failed.', { cause: error })
}
