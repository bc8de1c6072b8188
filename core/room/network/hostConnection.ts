import { createEmitter, type Emitter } from '#core/async/emitter'
import type { ExposedPorts, HostConnection, NetworkEvent } from '../ports'
import type { RoomPrivacy } from '../roomCode'
import { mappingsOf } from './mappingsOf'
import type { MemberLinks } from './memberLinks'
import type { MemberNetwork } from './memberNetwork'
import { isMember, peerIdOf, toMember } from './members'

export function createHostConnection(options: {
  readonly member: MemberNetwork
  readonly privacy: RoomPrivacy
  /** Members, paths or shared nodes have changed. */
  readonly changes: Emitter<void>
  readonly links: MemberLinks
  readonly setExposed: (ports: ExposedPorts) => void
}): HostConnection {
  const { privacy, changes } = options
  const { network, closed } = options.member
  const events = createEmitter<NetworkEvent>()
  changes.subscribe(() => {
    events.emit({ kind: 'members' })
    events.emit({ kind: 'status' })
  })
  options.links.onMeasured(() => events.emit({ kind: 'links' }))
  return {
    members: () =>
      network
        .peers()
        .filter(isMember)
        .map((member) => toMember(member)),
    links: options.links.list,
    status: () => ({
      privacy,
      nodes: network.nodes(),
      mappings: mappingsOf(network),
      path: undefined,
      difficulty: undefined,
    }),
    onEvent: events.subscribe,
    closed,
    setExposed: options.setExposed,
    noteOverShare: (memberId) => network.noteOverShare(peerIdOf(memberId)),
  }
}
