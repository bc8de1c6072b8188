import { concatBytes } from '@lantern-room/base/bytes'
import { rpcMethods } from '@lantern-room/easytier/wire'
import { encodeRouteSync, type RouteSyncToSend } from '#internal/easytier/wire/routeSync'

/** A request as any version may send it: with the rows as a bitmap, or as lists. */
export function encodeRouteSyncAs({
  rowsAs,
  ...sync
}: RouteSyncToSend & { readonly rowsAs: 'bitmap' | 'list' }): Uint8Array {
  if (rowsAs === 'bitmap' || sync.rows.length === 0) return encodeRouteSync(sync)
  const peerConnInfos = sync.rows.map(({ peerId, version, connected }) => ({
    peerId: { peerId, version },
    connectedPeerIds: [...connected],
  }))
  const rows = rpcMethods.syncRouteInfo.request.encode({ connPeerList: { peerConnInfos } })
  return concatBytes([encodeRouteSync({ ...sync, rows: [] }), rows])
}
