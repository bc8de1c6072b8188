import type { RoomFailure } from '../../failure'
import type { SessionEvent } from '../../ports'
import type { Listeners } from './listeners'

/** The last event of a session whose network has ended by itself. */
export function tellDown(down: Promise<RoomFailure>, events: Listeners<SessionEvent>): void {
  void down.then((error) => events.tell({ kind: 'down', error }))
}
