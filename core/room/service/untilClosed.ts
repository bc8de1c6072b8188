import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import type { NetworkConnection } from '../ports'

/**
 * Waits until a connection to a room's network is closed; never resolves.
 * @throws RoomFailure when the network has failed, the signal's reason when the connection was stopped
 */
export async function untilClosed({ closed }: NetworkConnection, signal: AbortSignal): Promise<never> {
  try {
    await closed
  } catch (error) {
    if (error instanceof RoomFailure) throw error
    throw new RoomFailure('network-failed', 'The virtual network has failed.', { cause: error })
  }
  throw abortReason(signal)
}
