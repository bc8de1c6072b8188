import { type Alarm, createAlarm } from '#core/async/alarm'
import { createEmitter, type Emitter } from '#core/async/emitter'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Network } from '#core/easytier/network'
import { abortReason } from '#core/errors'
import { RoomFailure } from '../failure'
import type { JoinOptions } from '../ports'
import { addressesOf, guestAddress, mustMove } from './addressing'
import { probeLiveness } from './liveness'
import { findHost, isMember, PROGRAM_VERSION } from './members'
import { isOnNode, noNode, type OpenPeer, openPeer } from './openPeer'
import { privateIdentity } from './privateIdentity'
import type { RoomNetworkOptions } from './roomNetworkOptions'

/** The network of a room in which a host was found. */
export type FoundRoom = {
  readonly peer: Network
  readonly privacy: 'open' | 'private'
  readonly changes: Emitter<void>
  /** Resolves when nothing is left of the search, which may be a moment later. */
  readonly rest: Promise<unknown>
} & Pick<OpenPeer, 'down' | 'signal'>

type Candidate = Omit<FoundRoom, 'rest'> & { readonly close: () => Promise<void> }

/** How long a guest waits for a shared node, or a host on the LAN. */
const NODE_MS = 8000
/** Members on other nodes of a cluster appear up to 10 s late. */
const HOST_MS = 15_000
/** Where every shared node has the name with another secret, there is little to wait for: a host on the LAN. */
const REFUSED_MS = 4000
/** How long two hosts are listened to, before one of them is taken for a shadow or both for real. */
const DOUBLE_MS = 1500

/**
 * Looks for the host in both networks that a code can mean, since it does not say whether the room is private. The open
 * one is looked in at once; the name of the other takes a moment to compute.
 * @throws RoomFailure `no-relay-reachable`, `host-not-found`, `several-hosts`, `wrong-room`, `network-failed`
 */
export async function discoverRoom(options: RoomNetworkOptions, order: JoinOptions): Promise<FoundRoom> {
  const { room, signal } = order
  const alarm = createAlarm(options.clock)
  const search = new AbortController()
  const candidates: Candidate[] = []
  const open = async (privacy: 'open' | 'private', identity: NetworkIdentity) => {
    candidates.push(await openCandidate(options, order, alarm, privacy, identity))
  }
  const later = (options.privateIdentity ?? privateIdentity)(room.text).then((identity) =>
    search.signal.aborted || signal.aborted ? undefined : open('private', identity),
  )
  // A private network that cannot be opened leaves the other one.
  const rest = later.catch(() => undefined)
  try {
    await open('open', { name: room.networkName, secret: room.networkSecret })
    order.onStep('connecting-nodes')
    const found = await searchIn(candidates, options, order, alarm)
    search.abort()
    const closeOthers = () => closeAll(candidates.filter((one) => one !== found))
    await closeOthers()
    const { peer, privacy, changes, down, signal: life } = found
    return { peer, privacy, changes, down, signal: life, rest: rest.then(closeOthers) }
  } catch (error) {
    search.abort()
    await rest
    await closeAll(candidates)
    throw error
  }
}

async function closeAll(candidates: readonly Candidate[]): Promise<void> {
  await Promise.all(candidates.map(({ close }) => close()))
}

async function openCandidate(
  options: RoomNetworkOptions,
  order: JoinOptions,
  alarm: Alarm,
  privacy: 'open' | 'private',
  identity: NetworkIdentity,
): Promise<Candidate> {
  const changes = createEmitter<void>()
  const { randomBytes, log } = options
  const address = guestAddress(randomBytes) ?? ''
  const { peer, down, signal, close } = await openPeer(options, {
    identity,
    isHost: false,
    hostname: 'guest',
    address,
    signal: order.signal,
    acceptsTcp: () => false,
    acceptsUdp: () => false,
    onStream: (stream) => stream.destroy(),
    onFlow: (flow) => flow.close(),
    wantsDirect: (member) => isMember(member) && findHost([member]).length > 0,
    onChange() {
      alarm.wake()
      changes.emit()
    },
  })
  void down.then(alarm.wake)
  changes.subscribe(moveWhenTaken)
  moveWhenTaken()
  return {
    peer,
    privacy,
    changes,
    down,
    signal,
    close: () => close(new Error('another network is the right one')),
  }

  function moveWhenTaken(): void {
    const own = { peerId: peer.ownId, address: peer.address() }
    const members = peer.peers()
    if (!mustMove(own, members, PROGRAM_VERSION)) return
    const next = guestAddress(randomBytes, addressesOf(members))
    if (next === undefined) return
    log.info('another member has our address', { address: own.address, next })
    peer.setAddress(next)
  }
}

async function searchIn(
  candidates: readonly Candidate[],
  { clock, nodes }: RoomNetworkOptions,
  order: JoinOptions,
  alarm: Alarm,
): Promise<Candidate> {
  const startedAt = clock.now()
  let meetAt: number | undefined
  let doubleAt: number | undefined
  const living = new Set<number>()
  for (;;) {
    const dead = candidates.find((candidate) => candidate.signal.aborted)
    if (dead) throw abortReason(dead.signal)
    const hosts = candidates.flatMap((kind) =>
      findHost(kind.peer.peers()).map((member) => ({ kind, member })),
    )
    const [first] = hosts
    if (first && hosts.length === 1) return first.kind
    const now = clock.now()
    // A host that was killed is seen until the network has noticed: one of them may be a shadow.
    if (hosts.length > 1) {
      for (const { kind, member } of hosts) {
        const { peerId } = member.record
        probeLiveness(kind.peer, peerId, DOUBLE_MS, () => {
          living.add(peerId)
          alarm.wake()
        })
      }
      doubleAt ??= now
      if (now - doubleAt >= DOUBLE_MS) {
        const [alive, second] = hosts.filter(({ member }) => living.has(member.record.peerId))
        if (alive && !second) return alive.kind
        throw new RoomFailure('several-hosts', 'Two players host with this room code.')
      }
    }
    if (meetAt === undefined && candidates.some(({ peer }) => isOnNode(peer) || peer.peers().length > 0)) {
      meetAt = now
      order.onStep('looking-for-host')
    }
    order.onStatus?.(statusOf(candidates[0]))
    const isRefused = candidates.some(({ peer }) => peer.isRefusedEverywhere())
    const until = meetAt === undefined ? startedAt + NODE_MS : meetAt + (isRefused ? REFUSED_MS : HOST_MS)
    if (now >= until) throw notFound(candidates, nodes, meetAt !== undefined)
    await alarm.wait(Math.min(until - now + 1, 500), order.signal)
  }
}

function statusOf(candidate: Candidate | undefined) {
  const nodes = candidate?.peer.nodes() ?? []
  return { privacy: 'open', nodes, path: undefined, difficulty: 'UNKNOWN' } as const
}

function notFound(candidates: readonly Candidate[], nodes: readonly string[], hasMet: boolean): RoomFailure {
  const [open] = candidates
  if (candidates.some(({ peer }) => peer.wasRefused())) {
    return new RoomFailure('wrong-room', 'The room exists, but its second half is another one.')
  }
  if (!hasMet && nodes.length > 0 && open) return noNode(open.peer)
  return new RoomFailure('host-not-found', 'Nobody hosts this room.')
}
