import type { Clock } from '#core/async/clock'
import type { Log } from '#core/log'
import type { MonthlyQuota } from './monthlyQuota'

export type RelayLimits = {
  readonly networks: number
  readonly membersPerNetwork: number
  /** IPv6: per network of 64 bits; those of 56 and 48 bits have 4 and 16 times as many. */
  readonly connectionsPerAddress: number
  /** Bytes a second that may be relayed from there; undefined = no limit. */
  readonly addressBytesPerSecond?: number | undefined
  /** Bytes a second that one network may relay; bursts of one second. */
  readonly bytesPerSecond: number
  /** The same for all networks together; undefined = no limit. */
  readonly totalBytesPerSecond?: number | undefined
}

export type RelayOptions = {
  readonly hostname: string
  readonly version: string
  readonly limits: RelayLimits
  /** When it is spent, no network is opened, and the open ones have little left to send. Undefined = none. */
  readonly quota?: Pick<MonthlyQuota, 'spend' | 'isSpent'> | undefined
  /** Whether a network of this name may use the relay; by default every one. */
  readonly accepts?: (name: string) => boolean
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
}
