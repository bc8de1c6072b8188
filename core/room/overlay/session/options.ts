import type { Clock, RoomLog } from '../../ports'
import type { Carriers } from '../carriers'
import type { NetworkIdentity } from '../crypto/secret'

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
  /** Of the private room with this code; by default the real one, which takes a tenth of a second of a thread. */
  readonly privateIdentity?: (code: string) => Promise<NetworkIdentity>
}
