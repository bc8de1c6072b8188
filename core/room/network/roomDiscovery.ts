import { type Alarm, createAlarm } from '#core/async/clock'
import { createEmitter, type Emitter } from '#core/async/emitter'
import { onAbort } from '#core/async/onAbort'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Network } from '#core/easytier/network'
import type { RemotePeer } from '#core/easytier/peer/peer'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import type { RoomPrivacy } from '../roomCode'
import type { JoinOptions } from '../roomNetwork'
import { addressesOf, guestAddress, mustMove } from './addressing'
import { createFriendNeed } from './friendNeed'
import {
  isConnectedToNode,
  type MemberNetwork,
  noRelayReachable,
  openMemberNetwork,
  type RoomNetworkOptions,
} from './memberNetwork'
import { findHost, isFriendRelay, isMember, PROGRAM_VERSION, probeLiveness, roomPortOf } from './members'
import { networkIdentityOf } from './networkIdentity'
import { decide, SEARCH_FAILURE_TEXTS, SEVERAL_HOSTS_MS, type SearchFailure } from './searchDecision'

/** The network of a room. */
export type FoundRoom = {
  readonly member: MemberNetwork
  readonly privacy: RoomPrivacy
  /** Members, paths or shared nodes have changed. */
  readonly changes: Emitter<void>
}

/**
 * Searches for the host in the one network that the code stands for: nothing of the search for a private room depends on
 * the open network that the same characters would name, and the other way around.
 * @throws RoomFailure `no-relay-reachable`, `host-not-found`, `several-hosts`, `wrong-room`, `network-failed`
 */
export async function discoverRoom(options: RoomNetworkOptions, request: JoinOptions): Promise<FoundRoom> {
  const { room, signal } = request
  const alarm = createAlarm(options.clock)
  const identity = await networkIdentityOf(room, options)
  if (signal.aborted) throw abortReason(signal)
  const found = await openRoom(options, request, alarm, identity)
  request.onStep('connecting-nodes')
  try {
    await search(found, options, request, alarm)
    return found
  } catch (error) {
    await found.member.close(new Error('the search for the host is over'))
    throw error
  }
}

async function openRoom(
  options: RoomNetworkOptions,
  request: JoinOptions,
  alarm: Alarm,
  identity: NetworkIdentity,
): Promise<FoundRoom> {
  const changes = createEmitter<void>()
  let network: Network | undefined
  const needsFriend = createFriendNeed(options.clock)
  const mayCarry = ({ record }: RemotePeer) =>
    isFriendRelay(record) && network !== undefined && needsFriend(network)
  const member = await openMemberNetwork(options, {
    identity,
    isHost: false,
    hostname: 'guest',
    address: guestAddress(options.randomBytes) ?? '',
    signal: request.signal,
    acceptsTcp: () => false,
    acceptsUdp: () => false,
    onStream: (stream) => stream.destroy(),
    onFlow: (flow) => flow.close(),
    isSettled: (record) => roomPortOf(record.hostname) !== undefined || isFriendRelay(record),
    wantsDirect: (peer) => isMember(peer) && (findHost([peer]).length > 0 || mayCarry(peer)),
    onChange() {
      alarm.wake()
      changes.emit()
    },
  })
  network = member.network
  onAbort(member.signal, alarm.wake)
  const move = () => moveWhenTaken(options, member.network)
  changes.subscribe(move)
  move()
  return { member, privacy: request.room.privacy, changes }
}

/** Switches to another address when another member has ours. */
function moveWhenTaken({ randomBytes, log }: RoomNetworkOptions, network: Network): void {
  const own = { peerId: network.ownId, address: network.address() }
  const members = network.peers()
  if (!mustMove(own, members, PROGRAM_VERSION)) return
  const next = guestAddress(randomBytes, addressesOf(members))
  if (next === undefined) return
  log.info('another member has our address', { address: own.address, next })
  network.setAddress(next)
}

/** Resolves when there is one host. @throws RoomFailure */
async function search(
  { member, privacy }: FoundRoom,
  { clock, nodes }: RoomNetworkOptions,
  request: JoinOptions,
  alarm: Alarm,
): Promise<void> {
  const { network } = member
  const startedAt = clock.now()
  let connectedAt: number | undefined
  let severalAt: number | undefined
  const alive = new Set<number>()
  for (;;) {
    if (member.signal.aborted) throw abortReason(member.signal)
    const now = clock.now()
    const hosts = findHost(network.peers())
    if (hosts.length > 1) {
      severalAt ??= now
      probe(hosts)
    }
    const since = (at: number | undefined) => (at === undefined ? undefined : now - at)
    const isNewlyConnected = connectedAt === undefined && isConnected(network)
    if (isNewlyConnected) connectedAt = now
    const decision = decide({
      hosts,
      aliveHosts: hosts.filter(({ record }) => alive.has(record.peerId)),
      elapsedMs: now - startedAt,
      severalHostsMs: since(severalAt),
      connectedMs: since(connectedAt),
      hasNodes: nodes.length > 0,
      wasRefused: network.wasRefused(),
      isRefusedEverywhere: network.isRefusedEverywhere(),
    })
    if (decision.kind === 'found') return
    if (isNewlyConnected) request.onStep('looking-for-host')
    request.onStatus?.({
      privacy,
      nodes: network.nodes(),
      mappings: [],
      path: undefined,
      difficulty: 'UNKNOWN',
    })
    if (decision.kind === 'failed') throw failureOf(decision.code, network)
    await alarm.wait(decision.ms, request.signal)
  }

  /** A killed host stays visible until its connections time out: the one that answers is the real one. */
  function probe(hosts: readonly RemotePeer[]): void {
    for (const { record } of hosts) {
      const { peerId } = record
      probeLiveness(network, peerId, SEVERAL_HOSTS_MS, () => {
        alive.add(peerId)
        alarm.wake()
      })
    }
  }
}

function isConnected(network: Network): boolean {
  return isConnectedToNode(network) || network.peers().length > 0
}

function failureOf(code: SearchFailure, network: Network): RoomFailure {
  if (code === 'no-relay-reachable') return noRelayReachable(network)
  return new RoomFailure(code, SEARCH_FAILURE_TEXTS[code])
}
