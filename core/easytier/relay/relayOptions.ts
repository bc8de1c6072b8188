import type { Log } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'

export type RelayLimits = {
  readonly networks: number
  readonly membersPerNetwork: number
  /**
   * Connections from one address (in IPv6, one network of 64 bits) that have not named their network yet, and as many networks that
   * were opened from there. Connections to a network that is open are not counted: its own limits bound them.
   */
  readonly connectionsPerAddress: number
  /** Bytes a second that one network may relay; bursts of one second. */
  readonly bytesPerSecond: number
  /**
   * Bytes per second of all networks together.
   * @default no limit
   */
  readonly totalBytesPerSecond?: number | undefined
}

export type RelayOptions = {
  readonly hostname: string
  readonly version: string
  readonly limits: RelayLimits
  /**
   * Whether a network of this name may use the relay.
   * @default every one may
   */
  readonly accepts?: (name: string) => boolean
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
}
