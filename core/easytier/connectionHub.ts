import type { Connections } from './peer/connections'
import type { ConnectionOrigin } from './peer/peerConnection'
import type { Connection } from './transport/transports'

export type ConnectionHub = ReturnType<typeof createConnectionHub>

/** Holds the transport connections of a peer, which itself refers to them by number. */
export function createConnectionHub(receiver: () => Pick<Connections, 'add' | 'remove' | 'receive'>) {
  const connections = new Map<number, Connection>()
  let lastId = 0
  let isClosed = false

  return {
    /** Numbers the connection and delivers its packets to the peer. */
    attach(connection: Connection, origin: Omit<ConnectionOrigin, 'transport'>): number {
      lastId += 1
      const id = lastId
      // A dial may succeed while the network is being closed: nothing else would close its connection.
      if (isClosed) {
        connection.close()
        return id
      }
      connections.set(id, connection)
      void connection.closed.then(() => {
        if (connections.delete(id)) receiver().remove(id)
      })
      const { transport, remote } = connection
      receiver().add(id, { ...origin, transport, remoteAddress: remote.address })
      connection.onPacket((packet) => receiver().receive(id, packet))
      return id
    },
    send: (id: number, packet: Uint8Array): void => connections.get(id)?.send(packet),
    close(id: number): void {
      const connection = connections.get(id)
      connections.delete(id)
      connection?.close()
    },
    /** Closes all connections, and those that are attached later; resolves when they are closed. */
    async closeAll(): Promise<void> {
      isClosed = true
      const all = [...connections.values()]
      connections.clear()
      for (const connection of all) connection.close()
      await Promise.all(all.map(({ closed }) => closed))
    },
  }
}
