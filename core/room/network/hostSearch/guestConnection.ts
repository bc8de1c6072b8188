import type { RoomCode } from '@lantern-room/protocol'
import { HOST_CHANGED, RoomFailure } from '../../failure'
import type { GuestConnection } from '../../roomNetwork'
import { createHostFollower } from '../members/followHost'
import { createNetworkEvents, measureMembers } from '../members/memberLinks'
import { ownStatus, type RoomNetworkOptions } from '../members/memberNetwork'
import {
  findHost,
  isMember,
  isOurProgram,
  memberIdOf,
  pathOf,
  roomPortOf,
  toMember,
} from '../members/members'
import { natDifficulty } from '../members/natReport'
import { createSecureGuest, type HostPath, type PlainGuest } from '../secure/secureGuest'
import type { FoundRoom } from './discovery'
import { createHostDialer } from './hostDialer'
import type { HostProof, KnownHost } from './hostProof'
import { TrackedHost } from './trackedHost'

/** What lasts for a guest, whichever network its host is found in. */
export type GuestOptions = {
  readonly options: RoomNetworkOptions
  readonly room: RoomCode
  readonly known: KnownHost
  /** Whether the network is opened anew where it fails by itself. */
  readonly outlivesNetwork: boolean
  /** Ends everything that the guest has opened. */
  readonly signal: AbortSignal
}

/** A guest in one run of the network of its room. */
export type GuestSession = ReturnType<typeof openSession>

/** Measures and watches the host that was found, until the network ends. */
export function openSession({ options, known }: GuestOptions, found: FoundRoom) {
  const { isDirect, clock, log } = options
  const { member, changes, proof } = found
  const { network, signal } = member
  const host = TrackedHost.watch({ found, known, clock, log })
  const links = measureMembers({
    network,
    isMeant: (peer) => findHost([peer]).length > 0,
    isOnOwnSubnet: options.transports.machine.isOnOwnSubnet,
    isDirect,
    clock,
    signal,
  })
  const events = createNetworkEvents({ member, changes, links })
  host.onEvent(events.emit)
  found.meet(() => (host.isAwaited ? undefined : host.id))
  const dial = createHostDialer({
    network,
    host: () => host.peer,
    isSeen: () => host.isReachable,
    clock,
    signal,
  })
  const follower = createHostFollower({ member, hostId: () => host.id, clock, log })
  return { member, host, links, onEvent: events.subscribe, dial, proof, follower }
}

/** A guest's connection to the host that is found at the time of each call. */
export function createGuestConnection(
  { options, room, known, signal }: GuestOptions,
  session: () => GuestSession,
  onEvent: GuestConnection['onEvent'],
  closed: Promise<void>,
): GuestConnection {
  const { privacy } = room
  const { isDirect, secureStreams, clock } = options
  const network = () => session().member.network
  const plain: PlainGuest = {
    get host() {
      const { peer } = session().host
      const { hostname, programVersion } = peer.record
      return {
        member: toMember(peer),
        roomPort: roomPortOf(hostname) ?? 0,
        isOurs: isOurProgram(programVersion),
      }
    },
    hostKey: () => known.key,
    checkHost: (key) => session().host.check(key),
    dial: (port, dialSignal, patienceMs) => session().dial(port, dialSignal, patienceMs),
    datagrams(port) {
      const { peerId, address = '0.0.0.0' } = session().host.peer.record
      return network().datagrams(peerId, { address, port })
    },
  }
  const path =
    privacy === 'private'
      ? createSecureGuest(plain, { secureStreams, clock, signal })
      : createOpenPath(plain, session, signal)
  return {
    get host() {
      return plain.host
    },
    hostKey: plain.hostKey,
    checkHost: plain.checkHost,
    dial: path.dial,
    datagrams: path.datagrams,
    members: () => network().peers().filter(isMember).map(toMember),
    links() {
      const { links, host } = session()
      return links.list().filter(({ memberId }) => memberId === memberIdOf(host.id))
    },
    status() {
      const { peer, latencyMs } = session().host
      return {
        ...ownStatus(network(), privacy, isDirect),
        path: pathOf(peer, latencyMs),
        difficulty: natDifficulty(network().natType(), network().natType(peer)),
      }
    },
    onEvent,
    closed,
    isOneOfSeveral: () => session().host.isOneOfSeveral && findHost(network().peers()).length > 1,
    isHostAwaited: () => session().host.isAwaited,
    isOtherHostThere: () => session().host.isOtherThere(),
    isHostUnreadable() {
      const { id, isReachable } = session().host
      return isReachable && network().sealsOtherwise(id)
    },
    ...(privacy === 'private' && { follow: (secret) => session().follower.follow(secret) }),
  }
}

/**
 * To the host of an open room: once the host's key is known, each stream to the room port begins with its proof, so that nothing
 * is told to another member, and nothing believed of it. Other streams are as all of an open room.
 */
function createOpenPath(
  guest: PlainGuest,
  session: () => { readonly proof: Pick<HostProof, 'prove'> },
  signal: AbortSignal,
): HostPath {
  return { dial, datagrams: guest.datagrams }

  /** @throws RoomFailure `host-changed` when another host answers, `connection-lost` when none does */
  async function dial(...[port, dialSignal, patienceMs]: Parameters<HostPath['dial']>) {
    const stream = await guest.dial(port, dialSignal, patienceMs)
    if (port !== guest.host.roomPort || guest.hostKey() === undefined) return stream
    const asking = dialSignal ? AbortSignal.any([signal, dialSignal]) : signal
    const answer = await session().proof.prove(stream, asking)
    const key = answer.kind === 'host' ? answer.key : undefined
    if (guest.checkHost(key)) return stream
    stream.destroy()
    throw new RoomFailure('host-changed', HOST_CHANGED)
  }
}
