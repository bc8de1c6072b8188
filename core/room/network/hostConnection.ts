import type { Emitter } from '#core/async/emitter'
import type { RoomPrivacy } from '../roomCode'
import type { ExposedPorts, HostConnection, NetworkSecret } from '../roomNetwork'
import type { MemberLinks } from './memberLinks'
import { friendRelayOf, type MemberNetwork, mappingsOf } from './memberNetwork'
import { isMember, peerIdOf, toMember } from './members'
import { createNetworkEvents } from './networkEvents'

export function createHostConnection(options: {
  readonly member: MemberNetwork
  readonly privacy: RoomPrivacy
  /** Whether this machine makes direct connections. */
  readonly isDirect: boolean
  /** Members, paths or shared nodes have changed. */
  readonly changes: Emitter<void>
  readonly links: MemberLinks
  readonly setExposed: (ports: ExposedPorts) => void
  /** Of a private room. */
  readonly secret: NetworkSecret | undefined
}): HostConnection {
  const { privacy } = options
  const { network, closed } = options.member
  const events = createNetworkEvents(options)
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
      friendRelay: friendRelayOf(network, options.isDirect),
      path: undefined,
      difficulty: undefined,
    }),
    onEvent: events.subscribe,
    closed,
    setExposed: options.setExposed,
    ...(options.secret && { secret: options.secret }),
    noteOverShare: (memberId, denial) => network.noteOverShare(peerIdOf(memberId), denial),
  }
}
