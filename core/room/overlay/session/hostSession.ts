import type { RoomFailure } from '../../failure'
import type { ExposedPorts, HostSession, SessionEvent } from '../../ports'
import type { RoomPeer } from '../peer/roomPeer'
import { tellDown } from './down'
import { createListeners, type Listeners } from './listeners'
import { isMember, toMember } from './members'

export function createHostSession(options: {
  readonly peer: RoomPeer
  readonly privacy: 'open' | 'private'
  readonly changes: Listeners<void>
  readonly down: Promise<RoomFailure>
  readonly setExposed: (ports: ExposedPorts) => void
}): HostSession {
  const { peer, privacy, changes } = options
  const events = createListeners<SessionEvent>()
  changes.add(() => {
    events.tell({ kind: 'members' })
    events.tell({ kind: 'status' })
  })
  tellDown(options.down, events)
  return {
    members: () =>
      peer
        .peers()
        .filter(isMember)
        .map((member) => toMember(member)),
    status: () => ({ privacy, nodes: peer.nodes(), path: undefined, difficulty: undefined }),
    onEvent: events.add,
    closed: peer.closed,
    setExposed: options.setExposed,
  }
}
