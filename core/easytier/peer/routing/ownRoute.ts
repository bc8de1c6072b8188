import { viewOf } from '@lantern-room/base/bytes'
import { random64 } from '../../random'
import { encodePeerRecord, type PeerRecord, type ReceivedRecord } from '../../wire/peerRecord'
import type { Row } from '../../wire/routeSync'

const RENEW_MS = 1_800_000
/** No run of a peer reaches this version; beyond it ours could soon not be raised any further. */
const MAX_OWN_VERSION = 0x7fff_ffff

/** What this peer announces of itself: its record and its row, with a version that rises with every change. */
export function createOwnRoute(
  fixed: Omit<PeerRecord, 'version' | 'updatedAtUnixMs'>,
  unixTime: () => number,
) {
  const { peerId } = fixed
  let renewedAt = unixTime()
  let own = seal({ ...fixed, version: 1, updatedAtUnixMs: renewedAt })
  let row: Row = { peerId, version: 1, connected: [] }

  const renew = (record: PeerRecord, after: number) => {
    renewedAt = unixTime()
    own = seal({ ...record, peerId, version: after + 1, updatedAtUnixMs: renewedAt })
  }

  return {
    /** As others receive it. */
    record: (): ReceivedRecord => own,
    row: (): Row => row,
    /** @returns whether anything is new */
    setRecord(change: Partial<Omit<PeerRecord, 'peerId' | 'version'>>): boolean {
      const next = { ...own, ...change }
      if (JSON.stringify({ ...next, raw: 0 }) === JSON.stringify({ ...own, raw: 0 })) return false
      renew(next, own.version)
      return true
    },
    /** @param ids the peers that we are connected to. @returns whether anything is new */
    setNeighbours(ids: readonly number[]): boolean {
      const connected = [...ids].sort((a, b) => a - b)
      if (connected.join() === row.connected.join()) return false
      row = { peerId, version: row.version + 1, connected }
      return true
    },
    /**
     * Another record of ours comes from an earlier run, or from a peer that lies: our current one has to be newer.
     * @returns whether it had to be renewed
     */
    outdo({ routeId, version }: ReceivedRecord): boolean {
      if (version < own.version || version > MAX_OWN_VERSION) return false
      if (routeId === own.routeId && version === own.version) return false
      renew(own, version)
      return true
    },
    /** Renews the record after half an hour, or when the clock was set back, so that others do not forget it. @returns whether it was due */
    renewWhenDue(): boolean {
      const passed = unixTime() - renewedAt
      const isDue = passed > RENEW_MS || passed < 0
      if (isDue) renew(own, own.version)
      return isDue
    },
  }
}

function seal(record: PeerRecord): ReceivedRecord {
  return { ...record, raw: encodePeerRecord(record) }
}

/** A record for a new run, with a new route id and instance id. */
export function newRecord(
  fixed: Pick<PeerRecord, 'peerId' | 'hostname' | 'address' | 'programVersion' | 'features'>,
  randomBytes: (size: number) => Uint8Array,
): Omit<PeerRecord, 'version' | 'updatedAtUnixMs'> {
  const id = viewOf(randomBytes(16))
  return {
    ...fixed,
    networkLength: NETWORK_LENGTH,
    udpNatType: 0,
    tcpNatType: 0,
    routeId: random64(randomBytes),
    instanceId: [id.getUint32(0), id.getUint32(4), id.getUint32(8), id.getUint32(12)],
  }
}

/** The network part of addresses, in bits. */
const NETWORK_LENGTH = 24
