import type { Emitter } from '@lantern-room/base/async'
import type { DatagramFlow } from '@lantern-room/base/bytes'
import type { NetworkOptions } from '@lantern-room/easytier'
import type { RoomPrivacy } from '@lantern-room/protocol'
import type { ExposedPorts, HostConnection, HostOptions, NetworkSecret } from '../roomNetwork'
import { createNetworkEvents, type MemberLinks } from './members/memberLinks'
import { type MemberNetwork, ownStatus } from './members/memberNetwork'
import { isMember, memberIdOf, peerIdOf, probeLiveness, toMember } from './members/members'

/** A round trip through a relay with room for a lost packet; `c:player_ping` of a guest that comes back waits for it. */
const ANSWER_MS = 3000

export function createHostConnection(options: {
  readonly member: MemberNetwork
  readonly privacy: RoomPrivacy
  readonly isDirect: boolean
  readonly changes: Emitter<void>
  readonly links: MemberLinks
  readonly setExposed: (ports: ExposedPorts) => void
  /** Only in private rooms. */
  readonly secret: NetworkSecret | undefined
}): HostConnection {
  const { network, closed } = options.member
  const events = createNetworkEvents(options)
  return {
    members: () => network.peers().filter(isMember).map(toMember),
    links: options.links.list,
    status: () => ({
      ...ownStatus(network, options.privacy, options.isDirect),
      path: undefined,
      difficulty: undefined,
    }),
    onEvent: events.subscribe,
    closed,
    setExposed: options.setExposed,
    ...(options.secret && { secret: options.secret }),
    answers: (memberId) =>
      new Promise((resolve) => {
        const tell = (isAlive: boolean) => () => resolve(isAlive)
        probeLiveness(network, peerIdOf(memberId), ANSWER_MS, tell(true), tell(false))
      }),
    noteOverShare: (memberId, denial) => network.noteOverShare(peerIdOf(memberId), denial),
  }
}

/** The ports of the host that members may reach, and the handlers of their streams. */
export type Exposure = Pick<NetworkOptions, 'acceptsTcp' | 'acceptsUdp' | 'onStream' | 'onFlow'> & {
  /** Closes the streams to a port that is no longer exposed. */
  replace(ports: ExposedPorts): void
}

type Open = { readonly port: number; readonly close: () => void }

export function createExposure({
  exposed: first,
  onStream,
  onFlow,
}: Pick<HostOptions, 'exposed' | 'onStream' | 'onFlow'>): Exposure {
  const open = { tcp: new Set<Open>(), udp: new Set<Open>() }
  let exposed = first

  return {
    acceptsTcp: (port) => exposed.tcp.includes(port),
    acceptsUdp: (port) => exposed.udp.includes(port),
    onStream(stream, { port, peerId }) {
      keep(open.tcp, { port, close: stream.destroy }, stream.closed)
      onStream(stream, { port, memberId: memberIdOf(peerId) })
    },
    onFlow(flow: DatagramFlow, { port, peerId }) {
      keep(open.udp, { port, close: flow.close }, flow.closed)
      onFlow(flow, { port, memberId: memberIdOf(peerId) })
    },
    replace(ports) {
      exposed = ports
      for (const { port, close } of [...open.tcp]) if (!ports.tcp.includes(port)) close()
      for (const { port, close } of [...open.udp]) if (!ports.udp.includes(port)) close()
    },
  }

  function keep(all: Set<Open>, entry: Open, closed: Promise<void>): void {
    all.add(entry)
    void closed.then(() => all.delete(entry))
  }
}
