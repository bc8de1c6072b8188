import type { Log } from '@lantern-room/base'
import type { MeshOptions } from './meshOptions'
import { Peer } from './peer/peer'
import { newRecord } from './peer/routing/ownRoute'
import { NO_FEATURES } from './wire/peerRecord'

/** The peer of a mesh. */
export function createMeshPeer(options: MeshOptions): Peer {
  const { log } = options
  return new Peer({
    identity: options.identity,
    record: ownRecord(options),
    clock: options.clock,
    randomBytes: options.randomBytes,
    onPayload: options.onPayload,
    mayRead: options.mayRead,
    offersRelay: options.offersRelay,
    isSettled: options.isSettled,
    onRefused: options.onRefused,
    relays: options.isDirect ? options.relays : undefined,
    onCallFailed: (error, method, member) =>
      log.warn('a call of a member failed', { method, member, cause: String(error) }),
  })
}

function ownRecord(options: MeshOptions) {
  return newRecord(
    {
      peerId: options.ownId,
      hostname: options.hostname,
      address: options.address,
      programVersion: options.version,
      features: { ...NO_FEATURES, avoidsRelay: true, takesKcp: true, refusesDirect: !options.isDirect },
    },
    options.randomBytes,
  )
}

export function logConnections(peer: Peer, log: Log): void {
  peer.connectionOpened.subscribe(({ isSharedNode, origin: { url, transport, isPunched } }) =>
    log.info(isSharedNode ? 'connected to a shared node' : 'connected to a member', {
      transport,
      url,
      isPunched,
    }),
  )
  peer.connectionClosed.subscribe(({ connection, problem, wasOpen }) => {
    const { url, transport } = connection.origin
    log.debug('a connection is closed', { transport, url, problem, wasOpen })
  })
}
