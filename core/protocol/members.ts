import type { Denial } from '@lantern-room/base/limits'

/** A member of the room's network, which opens the connections of the room protocol. */
export type RoomMember = {
  /** Identifies this run of its program. */
  readonly id: string
  /** What it tells the network of its machine. */
  readonly hostname: string
}

/** Stands for the id of a member where a program on this machine speaks the room protocol. */
export const THIS_MACHINE = 'this machine'

/** The resources that are shared among the members, each of whom may ask for too much. */
export type MemberShare =
  | 'players'
  | 'machine-ids'
  | 'connections'
  | 'requests'
  | 'player-pings'
  | 'streams'
  | 'datagram-flows'
  | 'listeners'

/**
 * Called for each thing that is refused, withdrawn or delayed because this member has more than its share.
 * @param denial refused when not given
 */
export type OnOverShare = (memberId: string, share: MemberShare, denial?: Denial) => void

/** Bytes of the secret of a network to which a host has moved its private room. */
export const SECRET_SIZE = 32
