import type { ByteStream, Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import { natTypeOf } from '@lantern-room/easytier'
import { HOST_CHANGED, RoomFailure } from '../failure'
import type { GuestConnection } from '../roomNetwork'
import { createNetworkEvents, type MemberLinks } from './members/memberLinks'
import { friendRelayOf, mappingsOf } from './members/memberNetwork'
import { findHost, isMember, isOurProgram, memberIdOf, pathOf, roomPortOf, toMember } from './members/members'
import { natDifficulty } from './members/natReport'
import { createHostDialer } from './search/hostDialer'
import type { HostProof } from './search/hostProof'
import type { FoundRoom } from './search/roomDiscovery'
import { TrackedHost } from './trackedHost'

/** A guest's connection to the one host that it has found. */
export function createGuestConnection(
  options: FoundRoom & {
    readonly links: MemberLinks
    /** Whether this machine makes direct connections. */
    readonly isDirect: boolean
    readonly clock: Clock
    readonly log: Log
  },
): GuestConnection {
  const { privacy, known, clock, log } = options
  const { network, signal } = options.member
  const host = new TrackedHost({
    member: options.member,
    host: options.host,
    known,
    proof: options.proof,
    onEvent: (event) => events.emit(event),
    clock,
    log,
  })
  options.changes.subscribe(() => host.update())
  const events = createNetworkEvents(options)
  void host.watch().catch(() => undefined)

  return {
    members: () => network.peers().filter(isMember).map(toMember),
    links: () => options.links.list().filter(({ memberId }) => memberId === memberIdOf(host.id)),
    status: () => ({
      privacy,
      nodes: network.nodes(),
      mappings: mappingsOf(network),
      friendRelay: friendRelayOf(network, options.isDirect),
      path: pathOf(host.peer, host.latencyMs),
      difficulty: natDifficulty(network.natType(), natTypeOf(host.peer.record.udpNatType)),
    }),
    onEvent: events.subscribe,
    closed: options.member.closed,
    hostKey: known.key,
    checkHost: (key) => host.check(key),
    isOneOfSeveral: () => host.isOneOfSeveral && findHost(network.peers()).length > 1,
    isHostAwaited: () => host.isAwaited,
    isOtherHostThere: () => host.isOtherThere(),
    get host() {
      const { hostname, programVersion } = host.peer.record
      return {
        member: toMember(host.peer),
        roomPort: roomPortOf(hostname) ?? 0,
        isOurs: isOurProgram(programVersion),
      }
    },
    dial: createHostDialer({
      network,
      host: () => host.peer,
      isSeen: () => host.isReachable,
      clock,
      signal,
    }),
    datagrams: (port) => network.datagrams(host.id, { address: host.peer.record.address ?? '0.0.0.0', port }),
  }
}

/**
 * A guest's connection to the host of an open room: once the host's key is known, each stream to the room port begins with its
 * proof, so that nothing is told to another member, and nothing believed of it. Other streams are as all of an open room.
 */
export function createOpenGuest(
  inner: GuestConnection,
  proof: Pick<HostProof, 'prove'>,
  signal: AbortSignal,
): GuestConnection {
  return {
    ...inner,
    get host() {
      return inner.host
    },
    async dial(port, dialSignal, patienceMs) {
      const stream = await inner.dial(port, dialSignal, patienceMs)
      if (port !== inner.host.roomPort || inner.hostKey() === undefined) return stream
      return proved(stream, dialSignal ? AbortSignal.any([signal, dialSignal]) : signal)
    },
  }

  /** @throws RoomFailure `host-changed` when another host answers, `connection-lost` when none does */
  async function proved(stream: ByteStream, asking: AbortSignal): Promise<ByteStream> {
    const answer = await proof.prove(stream, asking)
    const key = answer.kind === 'host' ? answer.key : undefined
    if (inner.checkHost(key)) return stream
    stream.destroy()
    throw new RoomFailure('host-changed', HOST_CHANGED)
  }
}
