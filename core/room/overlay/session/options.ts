import type { Clock, RoomLog } from '../../ports'
import type { Carriers } from '../carriers'

export type OverlayOptions = {
  readonly carriers: Carriers
  /** `scheme://host:port` of shared nodes, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly isDirect: boolean
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  readonly version: string
}
