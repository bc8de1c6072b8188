import type { Emitter } from '#core/async/emitter'
import type { RoomFailure } from '../failure'
import type { NetworkEvent } from '../ports'

/** The last event of a session whose network has ended by itself. */
export function tellDown(down: Promise<RoomFailure>, events: Emitter<NetworkEvent>): void {
  void down.then((error) => events.emit({ kind: 'down', error }))
}
