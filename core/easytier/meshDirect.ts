import type { ConnectionHub } from './connectionHub'
import { createDirectConnections, type DirectConnections } from './dialing/directConnections'
import { dialOnLan } from './dialing/lanDialer'
import type { MeshOptions } from './meshOptions'
import type { Peer } from './peer/peer'
import type { Connection } from './transport/transports'
import type { UdpTransport } from './transport/udpTransport'

export type MeshParts = {
  readonly options: MeshOptions
  readonly peer: Peer
  readonly hub: ConnectionHub
  /** The mesh's own socket. */
  readonly udp: UdpTransport
  readonly signal: AbortSignal
}

/** Connects the members that a direct connection is wanted to, and offers to relay for others while all of them can reach us. */
export function connectDirectly({ options, peer, hub, udp, signal }: MeshParts): DirectConnections {
  const direct = createDirectConnections({
    ...options,
    peer,
    udp,
    signal,
    wants(peerId) {
      const member = peer.peer(peerId)
      return member !== undefined && !member.record.features.refusesDirect && options.wantsDirect(member)
    },
    attach: hub.attach,
    onOverShare: (peerId) => options.onRefused('listeners', peerId),
    onReach() {
      if (options.relays) {
        const { features } = peer.own()
        peer.setOwn({ features: { ...features, avoidsRelay: !direct.isReachableByAll() } })
      }
      options.onChange()
    },
  })
  return direct
}

/**
 * Accepts incoming connections, and finds peers on the LAN.
 * @returns the TCP listener's port; `tcpClosed` and `lanClosed` resolve when the listener has closed and the LAN search has ended
 */
export async function listenForMembers({ options, peer, hub, udp, signal }: MeshParts): Promise<{
  readonly port: number
  readonly tcpClosed: Promise<void>
  readonly lanClosed: Promise<void>
}> {
  const accept = (connection: Connection) => void hub.attach(connection, { isDialler: false })
  udp.accept(accept)
  const listener = await options.transports.listenTcp(0, accept, signal)
  const lanClosed = dialOnLan({
    ...options,
    udp,
    signal,
    key: options.lan.key,
    announces: options.lan.announces,
    port: listener.port,
    isConnected: () => peer.connections.established().some(({ isSharedNode }) => !isSharedNode),
    onConnection: (connection) => hub.attach(connection, { isDialler: true }),
  })
  return { port: listener.port, tcpClosed: listener.closed, lanClosed }
}
