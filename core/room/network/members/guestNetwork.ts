import { type Clock, createEmitter } from '@lantern-room/base/async'
import type { Network, NetworkIdentity, RemotePeer } from '@lantern-room/easytier'
import { isSymmetric } from '@lantern-room/easytier'
import { openMemberNetwork, type RoomNetworkOptions } from './memberNetwork'
import { findHost, isFriendRelay, isMember, PROGRAM_VERSION, roomPortOf } from './members'

/** Where guests are: 10.144.144.64 to 250. Hosts and guests of other programs mostly are below. */
const FIRST = 64
const COUNT = 187

/** By then a direct path has usually been found, where one is possible. */
const FRIEND_AFTER_MS = 5000

/** A guest's network of a room, in which the host is still to be found. */
export type GuestNetwork = Awaited<ReturnType<typeof openGuestNetwork>>

/** Opens the network of a room as a guest, which gives way to members that have its address. */
export async function openGuestNetwork(
  options: RoomNetworkOptions,
  identity: NetworkIdentity,
  signal: AbortSignal,
) {
  const changes = createEmitter<void>()
  let network: Network | undefined
  let hostId: () => number | undefined = () => undefined
  const needsFriend = createFriendNeed(options.clock)
  const mayCarry = ({ record }: RemotePeer) =>
    isFriendRelay(record) && network !== undefined && needsFriend(network)
  const member = await openMemberNetwork(options, {
    identity,
    isHost: false,
    hostname: 'guest',
    address: guestAddress(options.randomBytes) ?? '',
    signal,
    acceptsTcp: () => false,
    acceptsUdp: () => false,
    onStream: (stream) => stream.destroy(),
    onFlow: (flow) => flow.close(),
    isSettled: (record) => roomPortOf(record.hostname) !== undefined || isFriendRelay(record),
    wantsDirect: (peer) => isMember(peer) && (findHost([peer]).length > 0 || mayCarry(peer)),
    isFoundOnLan(neighbours) {
      const id = hostId()
      return id !== undefined && neighbours.includes(id)
    },
    onChange: changes.emit,
  })
  network = member.network
  const move = () => moveWhenTaken(options, member.network)
  changes.subscribe(move)
  move()
  /** From now on no other member is searched for on the LAN while this one is connected. */
  const meet = (id: () => number | undefined) => {
    hostId = id
  }
  return { member, changes, meet }
}

/** Switches to another address when another member has ours. */
function moveWhenTaken({ randomBytes, log }: RoomNetworkOptions, network: Network): void {
  const own = { peerId: network.ownId, address: network.address() }
  const members = network.peers()
  if (!mustMove(own, members)) return
  const next = guestAddress(randomBytes, addressesOf(members))
  if (next === undefined) return
  log.info('another member has our address', { address: own.address, next })
  network.setAddress(next)
}

export type Addressed = { readonly peerId: number; readonly address: string | undefined }

/** A random address for a guest, none of those that are taken; undefined when all are. */
export function guestAddress(
  randomBytes: (size: number) => Uint8Array,
  taken: ReadonlySet<string> = new Set(),
): string | undefined {
  const [drawn = 0] = randomBytes(1)
  for (let turn = 0; turn < COUNT; turn += 1) {
    const address = `10.144.144.${FIRST + ((drawn + turn) % COUNT)}`
    if (!taken.has(address)) return address
  }
  return undefined
}

/**
 * Whether a guest has to give up its address because another member has the same one. Of two guests of this program the one
 * with the higher peer id does, since both see both. Hosts never do, and other programs may have a configured address, so
 * they keep theirs.
 */
export function mustMove(own: Addressed, others: readonly RemotePeer[]): boolean {
  return others.some((peer) => {
    const { peerId, address, hostname, programVersion } = peer.record
    if (own.address === undefined || address !== own.address || !isMember(peer)) return false
    const isLikeUs = roomPortOf(hostname) === undefined && programVersion === PROGRAM_VERSION
    return !isLikeUs || peerId < own.peerId
  })
}

/** The addresses that members have. */
export function addressesOf(peers: readonly RemotePeer[]): ReadonlySet<string> {
  return new Set(peers.flatMap(({ record }) => record.address ?? []))
}

/**
 * Whether a guest needs a friend that carries: at once where both routers are strict, else when no direct path to the host
 * has been found for some seconds.
 * @returns a function that is to be called again and again
 */
export function createFriendNeed(clock: Clock): (network: Pick<Network, 'peers' | 'natType'>) => boolean {
  let relayedSince: number | undefined

  return (network) => {
    const [host] = findHost(network.peers())
    if (!host || host.connection) {
      relayedSince = undefined
      return false
    }
    relayedSince ??= clock.now()
    if (isSymmetric(network.natType()) && isSymmetric(network.natType(host))) return true
    return clock.now() - relayedSince >= FRIEND_AFTER_MS
  }
}
