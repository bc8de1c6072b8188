import { createEmitter, type Emitter } from '#core/async/emitter'
import type { Network } from '#core/easytier/network'
import type { RoomFailure } from '../failure'
import type { ExposedPorts, HostConnection, NetworkEvent } from '../ports'
import { tellDown } from './down'
import { isMember, toMember } from './members'

export function createHostConnection(options: {
  readonly peer: Network
  readonly privacy: 'open' | 'private'
  readonly changes: Emitter<void>
  readonly down: Promise<RoomFailure>
  readonly setExposed: (ports: ExposedPorts) => void
}): HostConnection {
  const { peer, privacy, changes } = options
  const events = createEmitter<NetworkEvent>()
  changes.subscribe(() => {
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  tellDown(options.down, events)
  return {
    members: () =>
      peer
        .peers()
        .filter(isMember)
        .map((member) => toMember(member)),
    status: () => ({ privacy, nodes: peer.nodes(), path: undefined, difficulty: undefined }),
    onEvent: events.subscribe,
    closed: peer.closed,
    setExposed: options.setExposed,
  }
}
