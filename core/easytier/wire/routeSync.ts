import { oncePer } from '@lantern-room/base/limits'
import { type Encodable, rpcMethods } from './messages'
import { decodePeerRecord, type ReceivedRecord } from './peerRecord'

/** The peers to which one peer has a direct connection. */
export type Row = {
  readonly peerId: number
  /** From 1; the highest version wins. */
  readonly version: number
  readonly connected: readonly number[]
}

/** One SyncRouteInfo request: the sender's knowledge of peers and rows. */
export type RouteSync = {
  readonly from: number
  /** u64. If it differs from the previous one, the sender has lost its knowledge of us. */
  readonly sessionId: string
  readonly isInitiator: boolean
  /** At most 256; unreadable ones are left out. */
  readonly records: readonly ReceivedRecord[]
  readonly rows: readonly Row[]
}

/** The content to send: records as raw bytes. */
export type RouteSyncToSend = Omit<RouteSync, 'records'> & {
  readonly records: readonly Uint8Array[]
}

/** More than the members of a network; further entries in one message are ignored. */
const MAX_ENTRIES = 256

const { request: syncRequest } = rpcMethods.syncRouteInfo
type SyncInit = Encodable<typeof syncRequest>

export function encodeRouteSync(sync: RouteSyncToSend): Uint8Array {
  const { records, rows } = sync
  return syncRequest.encode({
    myPeerId: sync.from,
    mySessionId: sync.sessionId,
    isInitiator: sync.isInitiator,
    ...(records.length === 0 ? {} : { peerInfos: { items: [...records] } }),
    ...(rows.length === 0 ? {} : asBitmap(rows)),
  })
}

/** Accepts rows in both forms, also in one message. @returns undefined when the message is damaged */
export function decodeRouteSync(bytes: Uint8Array): RouteSync | undefined {
  const request = syncRequest.decode(bytes)
  if (request === undefined) return undefined
  const { connBitmap, connPeerList } = request
  return {
    from: request.myPeerId,
    sessionId: request.mySessionId,
    isInitiator: request.isInitiator,
    records: (request.peerInfos?.items ?? [])
      .slice(0, MAX_ENTRIES)
      .flatMap((item) => decodePeerRecord(item) ?? []),
    rows: [
      ...(connBitmap ? rowsOfBitmap(connBitmap.peerIds, connBitmap.bitmap) : []),
      ...(connPeerList?.peerConnInfos ?? [])
        .slice(0, MAX_ENTRIES)
        .flatMap(({ peerId, connectedPeerIds }) =>
          peerId === undefined ? [] : { ...idAndVersion(peerId), connected: connectedPeerIds },
        ),
    ],
  }
}

type PeerIdVersion = { readonly peerId: number; readonly version: number }

/** Bit row · n + column, from the lowest bit of each byte on. An entry without a version is a column only. */
function rowsOfBitmap(ids: readonly PeerIdVersion[], bitmap: Uint8Array): Row[] {
  // A truncated bitmap is ignored, because missing bits would read as "not connected".
  if (ids.length > MAX_ENTRIES || bitmap.length < Math.ceil((ids.length * ids.length) / 8)) return []
  return ids.flatMap((entry, row) => {
    if (entry.version === 0) return []
    const connected = ids.filter((_, column) => bitAt(bitmap, row * ids.length + column))
    return { ...idAndVersion(entry), connected: connected.map(({ peerId }) => peerId) }
  })
}

/** In the form that every version understands. Every neighbour receives the same list, which is encoded once. */
const asBitmap = oncePer((rows: readonly Row[]): Pick<SyncInit, 'connBitmap'> => {
  const versions = new Map<number, number>()
  for (const { connected } of rows) for (const peerId of connected) versions.set(peerId, 0)
  for (const { peerId, version } of rows) versions.set(peerId, version)
  const peerIds = [...versions]
    .map(([peerId, version]) => ({ peerId, version }))
    .sort((a, b) => a.peerId - b.peerId)
  const places = new Map(peerIds.map(({ peerId }, place) => [peerId, place]))
  const placeOf = (peerId: number) => places.get(peerId) ?? 0
  const bitmap = new Uint8Array(Math.ceil(peerIds.length ** 2 / 8))
  for (const { peerId, connected } of rows) {
    for (const other of connected) setBit(bitmap, placeOf(peerId) * peerIds.length + placeOf(other))
  }
  return { connBitmap: { peerIds, bitmap } }
})

function idAndVersion({ peerId, version }: PeerIdVersion): PeerIdVersion {
  return { peerId, version }
}

function bitAt(bits: Uint8Array, at: number): boolean {
  const byte = bits[at >> 3]
  return byte !== undefined && ((byte >> (at & 7)) & 1) === 1
}

function setBit(bits: Uint8Array, at: number): void {
  const byte = bits[at >> 3]
  if (byte !== undefined) bits[at >> 3] = byte | (1 << (at & 7))
}
