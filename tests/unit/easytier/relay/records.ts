import type { PeerRecord } from '#core/easytier/wire/peerRecord'
import { MEMBER_FEATURES } from '#support/network/memberRecord'

/** What a member with this peer id tells of itself. */
export function recordOf(peerId: number, hostname: string, version = 1): PeerRecord {
  return {
    peerId,
    version,
    hostname,
    routeId: String(1000 + peerId),
    networkLength: 24,
    instanceId: undefined,
    address: undefined,
    udpNatType: 0,
    tcpNatType: 0,
    updatedAtUnixMs: 1_700_000_000_000,
    programVersion: '2.6.4',
    features: MEMBER_FEATURES,
  }
}
