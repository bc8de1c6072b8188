import type { Connection } from '../transport/transports'
import type { ConnectionOrigin } from './peerConnection'

/** Knows what carries each link of a node: the node itself has numbers only. */
export type ConnectionHub = {
  /** Gives the link a number and hands its packets to the node. */
  attach(carried: Connection, origin: Omit<ConnectionOrigin, 'transport'>): number
  carrierOf(id: number): Connection | undefined
  send(id: number, packet: Uint8Array): void
  close(id: number): void
  /** Closes all, and what is attached later; resolves when they are. */
  closeAll(): Promise<void>
}

export function createConnectionHub(
  node: () => {
    addLink(id: number, origin: ConnectionOrigin): void
    removeLink(id: number): void
    receive(id: number, packet: Uint8Array): void
  },
): ConnectionHub {
  const links = new Map<number, Connection>()
  let last = 0
  let isClosed = false

  return {
    attach(carried, origin) {
      last += 1
      const id = last
      // A dial may have succeeded in the moment of the end: nobody else would close it.
      if (isClosed) {
        carried.close()
        return id
      }
      links.set(id, carried)
      void carried.closed.then(() => {
        if (!links.delete(id)) return
        node().removeLink(id)
      })
      node().addLink(id, { ...origin, transport: carried.transport })
      carried.onPacket((packet) => node().receive(id, packet))
      return id
    },
    carrierOf: (id) => links.get(id),
    send: (id, packet) => links.get(id)?.send(packet),
    close(id) {
      const link = links.get(id)
      links.delete(id)
      link?.close()
    },
    async closeAll() {
      isClosed = true
      const all = [...links.values()]
      links.clear()
      for (const link of all) link.close()
      await Promise.all(all.map(({ closed }) => closed))
    },
  }
}
