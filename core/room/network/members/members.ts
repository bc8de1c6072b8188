import type { Network, RemotePeer } from '@lantern-room/easytier'
import { groupOfPeer } from '@lantern-room/easytier'
import type { PeerRecord } from '@lantern-room/easytier/wire'
import { rpcMethods } from '@lantern-room/easytier/wire'
import { ROOM_PORT_BOUNDS } from '../../config'
import type { Member, Path, RelayKind } from '../../networkStatus'

/** The hostname of a member that hosts: it contains the port of its room protocol. */
export function hostName(roomPort: number): string {
  return `scaffolding-mc-server-${roomPort}`
}

/** @returns undefined for a hostname of another form, or with a port that no room may have */
export function roomPortOf(hostname: string): number | undefined {
  const port = Number(/^scaffolding-mc-server-(\d{4,5})$/.exec(hostname)?.[1])
  return port >= ROOM_PORT_BOUNDS.min && port <= ROOM_PORT_BOUNDS.max ? port : undefined
}

const OUR_MARK = '-lantern'

/** The version that other programs show for this one: that of the EasyTier we are compatible with, and our mark. */
export const PROGRAM_VERSION = `2.6.4${OUR_MARK}`

/** Whether a record is of this program, in whichever version. */
export function isOurProgram(programVersion: string): boolean {
  return programVersion.endsWith(OUR_MARK)
}

/** Whether this member's player has switched on relaying for others. Other programs relay for everyone, asked or not. */
export function isFriendRelay({ features, programVersion }: PeerRecord): boolean {
  return isOurProgram(programVersion) && !features.isSharedNode && !features.avoidsRelay
}

export function isMember({ record }: RemotePeer): boolean {
  return !record.features.isSharedNode
}

/** The members that host and are reachable: a room has one. A member without an address is not reachable yet. */
export function findHost(peers: readonly RemotePeer[]): readonly RemotePeer[] {
  return peers.filter(
    (peer) =>
      isMember(peer) &&
      roomPortOf(peer.record.hostname) !== undefined &&
      peer.record.address !== undefined &&
      peer.via !== undefined,
  )
}

/** A member's id in the room: its peer id in this run of it. */
export function memberIdOf(peerId: number): string {
  return String(peerId)
}

export function peerIdOf(memberId: string): number {
  return Number(memberId)
}

export function toMember(peer: RemotePeer): Member {
  const { record } = peer
  return {
    id: memberIdOf(record.peerId),
    hostname: record.hostname,
    isHost: roomPortOf(record.hostname) !== undefined,
    address: record.address,
    remoteAddress: peer.connection?.origin.remoteAddress,
    group: groupOfPeer(peer),
  }
}

/** @param latencyMs measured from end to end, for a way through a relay */
export function pathOf(peer: RemotePeer, latencyMs: number | undefined): Path | undefined {
  const { connection, via } = peer
  const used = connection ?? via
  if (!used) return undefined
  const roundTrip = connection ? connection.roundTrip : latencyMs
  return {
    kind: connection ? 'direct' : 'relay',
    transport: used.origin.transport,
    latencyMs: roundTrip === undefined ? undefined : Math.round(roundTrip * 10) / 10,
    relayedBy: relayedBy(peer),
  }
}

/** undefined for a direct connection, and for a member that is not reached. */
export function relayedBy({ connection, via }: RemotePeer): RelayKind | undefined {
  if (connection || !via) return undefined
  return via.isSharedNode ? 'node' : 'friend'
}

/** Sends a call without effect to a member: every answer, even a refusal, proves that it is alive. */
export function probeLiveness(
  peer: Pick<Network, 'call'>,
  peerId: number,
  limitMs: number,
  onSign: () => void,
  onSilence: () => void = () => {},
): void {
  const request = rpcMethods.getGlobalPeerMap.request.encode({})
  peer.call(peerId, 'getGlobalPeerMap', request, limitMs, ({ kind }) => {
    if (kind === 'silence') onSilence()
    else onSign()
  })
}
