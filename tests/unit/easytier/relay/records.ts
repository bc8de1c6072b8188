import type { PeerRecord } from '#internal/easytier/wire/peerRecord'
import { memberRecord } from '#support/network/memberRecord'

/** What a member with this peer id tells of itself. */
export function recordOf(peerId: number, hostname: string, version = 1): PeerRecord {
  return { ...memberRecord(peerId), hostname, version }
}
