import { createAlarm, createEmitter } from '@lantern-room/base/async'
import type { OwnPorts } from '@lantern-room/base/network'
import type { LimitName } from '@lantern-room/easytier'
import type { Transports } from '@lantern-room/easytier/transport'
import type { MemberShare } from '@lantern-room/protocol/server'
import type { HostConnection, HostOptions, JoinOptions, RoomNetwork } from '../roomNetwork'
import { createExposure, createHostConnection, type Exposure } from './hostConnection'
import { HostSearch } from './hostSearch/hostSearch'
import { measureMembers } from './members/memberLinks'
import {
  isConnectedToNode,
  type MemberNetwork,
  openMemberNetwork,
  type RoomNetworkOptions,
} from './members/memberNetwork'
import { hostName, isMember, memberIdOf } from './members/members'
import { networkIdentityOf } from './members/networkIdentity'
import { noRelayReachable } from './members/outage'
import { createNetworkSecret } from './networkSecret'
import { createSecureExposure } from './secure/secureExposure'

/** The host's address in the rooms of most programs. */
const HOST_ADDRESS = '10.144.144.1'
/** How long a host waits for a shared node before it opens for the LAN alone, or fails where that is not allowed. */
const HOST_NODE_MS = 3000
const ONLY_NODES_MS = 8000

/**
 * Rooms on EasyTier networks, implemented in `core/easytier`.
 * @see docs/network/overview.md and docs/decisions.md, D5
 * @example const connection = await createRoomNetwork(options).join({ room, signal, onStep })
 */
export function createRoomNetwork(options: RoomNetworkOptions): RoomNetwork {
  return {
    version: `easytier-wire 2.6 (${options.version})`,
    host: (request) => hostRoom(asRequested(request, options), request),
    async join(request) {
      const search = await HostSearch.open(asRequested(request, options), request, request.signal)
      return search.connection
    },
    find: (request) => HostSearch.look(asRequested(request, options), request),
  }
}

function asRequested(
  {
    nodes,
    invitedNodes = [],
    friendRelay,
    direct,
  }: Pick<HostOptions, 'nodes' | 'friendRelay' | 'direct'> & Pick<JoinOptions, 'invitedNodes'>,
  options: RoomNetworkOptions,
): RoomNetworkOptions {
  return {
    ...options,
    nodes: nodes ?? options.nodes,
    invitedNodes,
    friendRelay: friendRelay ?? options.friendRelay ?? false,
    isDirect: direct ?? options.isDirect,
  }
}

async function hostRoom(options: RoomNetworkOptions, request: HostOptions): Promise<HostConnection> {
  const { room, signal } = request
  const identity = await networkIdentityOf(room, options)
  signal.throwIfAborted()
  const alarm = createAlarm(options.clock)
  const changes = createEmitter<void>()
  const { replace, ...exposure } = exposureOf(options, request)
  const member = await openMemberNetwork(options, {
    identity,
    isHost: true,
    hostname: hostName(request.roomPort),
    address: HOST_ADDRESS,
    signal,
    ...exposure,
    onOverShare: (peerId, limit) => request.onOverShare?.(memberIdOf(peerId), shareOf(limit)),
    wantsDirect: isMember,
    isSettled: ({ peerId }) => request.isSettled?.(memberIdOf(peerId)) ?? false,
    onChange() {
      alarm.wake()
      changes.emit()
    },
  })
  await untilConnectedToNode(options, member, (ms) => alarm.wait(ms, member.signal))
  const { isDirect, randomBytes, clock, log } = options
  const links = measureMembers({
    network: member.network,
    isMeant: isMember,
    isOnOwnSubnet: options.transports.machine.isOnOwnSubnet,
    isDirect,
    clock,
    signal: member.signal,
  })
  const secret =
    room.privacy === 'private' ? createNetworkSecret({ member, randomBytes, clock, log }) : undefined
  return createHostConnection({
    member,
    privacy: room.privacy,
    isDirect,
    changes,
    links,
    setExposed: replace,
    secret,
  })
}

function shareOf(limit: LimitName): MemberShare {
  if (limit === 'listeners') return limit
  return limit === 'UDP flows' ? 'datagram-flows' : 'streams'
}

function exposureOf({ secureStreams, clock, log }: RoomNetworkOptions, request: HostOptions): Exposure {
  const exposure = createExposure(request)
  if (request.room.privacy === 'open') return exposure
  return createSecureExposure(exposure, { room: request, secureStreams, clock, log })
}

/**
 * A host that can be reached directly opens also without a shared node.
 * @throws RoomFailure `no-relay-reachable`, `no-internet`, `wifi-login`
 */
async function untilConnectedToNode(
  options: RoomNetworkOptions,
  { network, close }: MemberNetwork,
  waitForChange: (ms: number) => Promise<void>,
): Promise<void> {
  const { clock, nodes, isDirect } = options
  const until = clock.now() + (isDirect ? HOST_NODE_MS : ONLY_NODES_MS)
  while (nodes.length > 0 && !isConnectedToNode(network)) {
    if (clock.now() >= until) {
      if (isDirect) return
      const failure = await noRelayReachable(options, network)
      await close(failure)
      throw failure
    }
    await waitForChange(Math.max(1, until - clock.now()))
  }
}

/**
 * Wraps the transports to register the ports on which they listen for members.
 * @example const transports = notePorts(createNodeTransports(options), ownPorts)
 */
export function notePorts(transports: Transports, ownPorts: OwnPorts): Transports {
  return {
    ...transports,
    async listenTcp(port, onConnection, signal) {
      const listening = await transports.listenTcp(port, onConnection, signal)
      void listening.closed.then(ownPorts.add('tcp', listening.port, 'network'))
      return listening
    },
    async openUdp(port, families) {
      const socket = await transports.openUdp(port, families)
      void socket.closed.then(ownPorts.add('udp', socket.port, 'network'))
      return socket
    },
  }
}
