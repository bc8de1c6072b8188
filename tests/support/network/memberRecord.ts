import type { PeerRecord } from '@lantern-room/easytier/wire'

/** What our own members say that they can. */
export const MEMBER_FEATURES: PeerRecord['features'] = {
  isSharedNode: false,
  avoidsRelay: true,
  takesKcp: true,
  relaysNoKcp: false,
  takesRowLists: false,
  needsDirect: false,
  refusesDirect: false,
}

/** The first record of one of our own members, which has no address yet. */
export function memberRecord(peerId: number): PeerRecord {
  return {
    peerId,
    hostname: `peer ${peerId}`,
    address: undefined,
    programVersion: '1',
    features: MEMBER_FEATURES,
    version: 1,
    updatedAtUnixMs: 0,
    networkLength: 24,
    udpNatType: 0,
    tcpNatType: 0,
    routeId: String(peerId),
    instanceId: [0, 0, 0, 1],
  }
}
