import type { ConnectionOrigin } from './peer/peerConnection'
import type { Connection } from './transport/transports'

/** Holds the transport connections of a peer, which itself refers to them by number. */
export type ConnectionHub = {
  /** Numbers the connection and delivers its packets to the peer. */
  attach(connection: Connection, origin: Omit<ConnectionOrigin, 'transport'>): number
  /** To be called once, before the first connection is attached. */
  deliverTo(receiver: ConnectionReceiver): void
  send(id: number, packet: Uint8Array): void
  close(id: number): void
  /** Closes all connections, and those that are attached later; resolves when they are closed. */
  closeAll(): Promise<void>
}

export type ConnectionReceiver = {
  addConnection(id: number, origin: ConnectionOrigin): void
  removeConnection(id: number): void
  receive(id: number, packet: Uint8Array): void
}

export function createConnectionHub(): ConnectionHub {
  const connections = new Map<number, Connection>()
  let receiver: ConnectionReceiver = { addConnection() {}, removeConnection() {}, receive() {} }
  let lastId = 0
  let isClosed = false

  return {
    attach(connection, origin) {
      lastId += 1
      const id = lastId
      // A dial may succeed while the network is being closed: nothing else would close its connection.
      if (isClosed) {
        connection.close()
        return id
      }
      connections.set(id, connection)
      void connection.closed.then(() => {
        if (connections.delete(id)) receiver.removeConnection(id)
      })
      receiver.addConnection(id, {
        ...origin,
        transport: connection.transport,
        remoteAddress: connection.remote.address,
      })
      connection.onPacket((packet) => receiver.receive(id, packet))
      return id
    },
    deliverTo(next) {
      receiver = next
    },
    send: (id, packet) => connections.get(id)?.send(packet),
    close(id) {
      const connection = connections.get(id)
      connections.delete(id)
      connection?.close()
    },
    async closeAll() {
      isClosed = true
      const all = [...connections.values()]
      connections.clear()
      for (const connection of all) connection.close()
      await Promise.all(all.map(({ closed }) => closed))
    },
  }
}
