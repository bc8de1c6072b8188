import type { Clock } from '#core/clock'
import type { NetworkIdentity } from '#core/easytier/crypto/networkIdentity'
import type { Transports } from '#core/easytier/transport/transports'
import type { Log } from '#core/log'

export type RoomNetworkOptions = {
  readonly transports: Transports
  /** `scheme://host:port` of shared nodes, or http(s) lists of them. */
  readonly nodes: readonly string[]
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly isDirect: boolean
  readonly clock: Clock
  /** From a cryptographic source. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  readonly version: string
  /** Of the private room with this code; by default the real one, which takes a tenth of a second of a thread. */
  readonly privateIdentity?: (code: string) => Promise<NetworkIdentity>
}
