import { type Alarm, createAlarm } from '#core/async/alarm'
import { createEmitter, type Emitter } from '#core/async/emitter'
import { onAbort } from '#core/async/onAbort'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Network } from '#core/easytier/network'
import type { RemotePeer } from '#core/easytier/peer/peer'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import type { JoinOptions, NetworkStatus } from '../ports'
import { addressesOf, guestAddress, mustMove } from './addressing'
import {
  isConnectedToNode,
  type MemberNetwork,
  noRelayReachable,
  openMemberNetwork,
  type RoomNetworkOptions,
} from './memberNetwork'
import { findHost, isMember, PROGRAM_VERSION, probeLiveness } from './members'
import { privateIdentity } from './privateIdentity'
import { decide, SEARCH_FAILURE_TEXTS, SEVERAL_HOSTS_MS, type SearchFailure } from './searchDecision'

/** The network of a room in which a host was found. */
export type FoundRoom = Candidate & {
  /** Resolves when the search has released everything, which may be a moment after it has ended. */
  readonly searchClosed: Promise<void>
}

/** A network that the room code can mean. */
type Candidate = {
  readonly member: MemberNetwork
  readonly privacy: 'open' | 'private'
  /** Members, paths or shared nodes have changed. */
  readonly changes: Emitter<void>
}

/**
 * Searches for the host in both networks that a code can mean, since it does not say whether the room is private. The
 * search in the open one begins at once; the identity of the other takes a moment to compute.
 * @throws RoomFailure `no-relay-reachable`, `host-not-found`, `several-hosts`, `wrong-room`, `network-failed`
 */
export async function discoverRoom(options: RoomNetworkOptions, request: JoinOptions): Promise<FoundRoom> {
  const { room, signal } = request
  const alarm = createAlarm(options.clock)
  const search = new AbortController()
  const candidates: Candidate[] = []
  const open = async (privacy: 'open' | 'private', identity: NetworkIdentity) => {
    candidates.push(await openCandidate(options, request, alarm, privacy, identity))
  }
  const openPrivate = async () => {
    const identity = await (options.privateIdentity ?? privateIdentity)(room.text)
    if (!search.signal.aborted && !signal.aborted) await open('private', identity)
  }
  // If the private network cannot be opened the search goes on in the open one.
  const privateOpened = openPrivate().catch(() => undefined)
  try {
    await open('open', { name: room.networkName, secret: room.networkSecret })
    request.onStep('connecting-nodes')
    const found = await searchIn(candidates, options, request, alarm)
    search.abort()
    const closeOthers = () => closeAll(candidates.filter((one) => one !== found))
    await closeOthers()
    return { ...found, searchClosed: privateOpened.then(closeOthers) }
  } catch (error) {
    search.abort()
    await privateOpened
    await closeAll(candidates)
    throw error
  }
}

async function closeAll(candidates: readonly Candidate[]): Promise<void> {
  const reason = new Error('the search for the host is over')
  await Promise.all(candidates.map(({ member }) => member.close(reason)))
}

async function openCandidate(
  options: RoomNetworkOptions,
  request: JoinOptions,
  alarm: Alarm,
  privacy: 'open' | 'private',
  identity: NetworkIdentity,
): Promise<Candidate> {
  const changes = createEmitter<void>()
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
    wantsDirect: (peer) => isMember(peer) && findHost([peer]).length > 0,
    onChange() {
      alarm.wake()
      changes.emit()
    },
  })
  onAbort(member.signal, alarm.wake)
  const move = () => moveWhenTaken(options, member.network)
  changes.subscribe(move)
  move()
  return { member, privacy, changes }
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

type VisibleHost = { readonly candidate: Candidate; readonly peer: RemotePeer }

async function searchIn(
  candidates: readonly Candidate[],
  { clock, nodes }: RoomNetworkOptions,
  request: JoinOptions,
  alarm: Alarm,
): Promise<Candidate> {
  const startedAt = clock.now()
  let connectedAt: number | undefined
  let severalAt: number | undefined
  const alive = new Set<number>()
  for (;;) {
    throwIfEnded(candidates)
    const now = clock.now()
    const hosts = visibleHosts(candidates)
    if (hosts.length > 1) {
      severalAt ??= now
      probe(hosts)
    }
    const since = (at: number | undefined) => (at === undefined ? undefined : now - at)
    const isNewlyConnected = connectedAt === undefined && candidates.some(isConnected)
    if (isNewlyConnected) connectedAt = now
    const decision = decide({
      hosts,
      aliveHosts: hosts.filter(({ peer }) => alive.has(peer.record.peerId)),
      elapsedMs: now - startedAt,
      severalHostsMs: since(severalAt),
      connectedMs: since(connectedAt),
      hasNodes: nodes.length > 0,
      wasRefused: candidates.some(({ member }) => member.network.wasRefused()),
      isRefusedEverywhere: candidates.some(({ member }) => member.network.isRefusedEverywhere()),
    })
    if (decision.kind === 'found') return decision.host.candidate
    if (isNewlyConnected) request.onStep('looking-for-host')
    request.onStatus?.(statusOf(candidates[0]))
    if (decision.kind === 'failed') throw failureOf(decision.code, candidates[0])
    await alarm.wait(decision.ms, request.signal)
  }

  /** A killed host stays visible until its connections time out: the one that answers is the real one. */
  function probe(hosts: readonly VisibleHost[]): void {
    for (const { candidate, peer } of hosts) {
      const { peerId } = peer.record
      probeLiveness(candidate.member.network, peerId, SEVERAL_HOSTS_MS, () => {
        alive.add(peerId)
        alarm.wake()
      })
    }
  }
}

function throwIfEnded(candidates: readonly Candidate[]): void {
  for (const { member } of candidates) if (member.signal.aborted) throw abortReason(member.signal)
}

function visibleHosts(candidates: readonly Candidate[]): readonly VisibleHost[] {
  return candidates.flatMap((candidate) =>
    findHost(candidate.member.network.peers()).map((peer) => ({ candidate, peer })),
  )
}

function isConnected({ member: { network } }: Candidate): boolean {
  return isConnectedToNode(network) || network.peers().length > 0
}

function statusOf(candidate: Candidate | undefined): NetworkStatus {
  return {
    privacy: 'open',
    nodes: candidate?.member.network.nodes() ?? [],
    path: undefined,
    difficulty: 'UNKNOWN',
  }
}

function failureOf(code: SearchFailure, open: Candidate | undefined): RoomFailure {
  if (code === 'no-relay-reachable' && open) return noRelayReachable(open.member.network)
  return new RoomFailure(code, SEARCH_FAILURE_TEXTS[code])
}
