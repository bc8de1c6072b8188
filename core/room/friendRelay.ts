/** Whether this machine carries what passes between players of the room who have no direct path. The codes are stable, for programs. */
export const FRIEND_RELAY_STATES = {
  offered: 'Players of this room who find no direct path to each other may play through this computer.',
  carrying: 'Players of this room who have no direct path to each other play through this computer.',
  'no-public-address':
    'Not offered: not everybody can reach this computer. It takes a public address, or a port that the router opens (UPnP, NAT-PMP or PCP).',
  'direct-off': 'Not offered: direct connections are switched off here. Set ROOM_DIRECT to on.',
} as const

/** The limit by default: several players, and a part of what a line at home sends. */
export const FRIEND_RELAY_BYTES_PER_SECOND = 1_000_000

export type FriendRelayState = keyof typeof FRIEND_RELAY_STATES
export const FRIEND_RELAY_STATE_CODES = Object.keys(FRIEND_RELAY_STATES) as [
  FriendRelayState,
  ...FriendRelayState[],
]

/** What this machine carries for other players, where that was asked for. */
export type FriendRelay = {
  readonly state: FriendRelayState
  /** Pairs of members that it was for in the last ten seconds. */
  readonly pairs: number
  /** Carried since the room was opened or joined. */
  readonly bytes: number
  /** The limit, of all pairs together. */
  readonly bytesPerSecond: number
}
