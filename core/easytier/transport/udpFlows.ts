import { createDeferred } from '@lantern-room/base/async'
import { type Endpoint, formatEndpoint } from '../wire/socketAddress'
import { encodeDatagram } from '../wire/udpFrame'
import type { Connection, UdpSocket } from './transports'

/** Packets that a connection holds until it has a listener. */
const MAX_EARLY = 16

type Flow = {
  readonly remote: Endpoint
  readonly take: (packet: Uint8Array) => void
  readonly forget: () => void
}

/** The connections of a socket, by the address of the other side and the number that the dialling side chose. */
export function createUdpFlows(socket: UdpSocket) {
  const flows = new Map<string, Flow>()
  /** The latest connection of each number: found faster by number than by the address as text. */
  const numbered = new Map<number, Flow>()

  return {
    size: (): number => flows.size,
    has: (connectionId: number, from: Endpoint): boolean => flows.has(keyOf(from, connectionId)),
    find(connectionId: number, from: Endpoint): Flow | undefined {
      const latest = numbered.get(connectionId)
      const isFrom = latest?.remote.port === from.port && latest.remote.address === from.address
      return isFrom ? latest : flows.get(keyOf(from, connectionId))
    },
    closeAll(): void {
      for (const flow of [...flows.values()]) flow.forget()
    },
    open,
  }

  function open(connectionId: number, remote: Endpoint): Connection {
    const key = keyOf(remote, connectionId)
    flows.get(key)?.forget()
    const closed = createDeferred()
    let listener: ((packet: Uint8Array) => void) | undefined
    const early: Uint8Array[] = []
    const forget = () => {
      if (flows.get(key) === flow) flows.delete(key)
      if (numbered.get(connectionId) === flow) numbered.delete(connectionId)
      closed.resolve()
    }
    const flow: Flow = {
      remote,
      forget,
      take(packet) {
        if (listener) listener(packet)
        else if (early.length < MAX_EARLY) early.push(packet)
      },
    }
    flows.set(key, flow)
    numbered.set(connectionId, flow)
    return {
      transport: 'udp',
      remote,
      closed: closed.promise,
      localPort: socket.port,
      send(packet) {
        if (flows.get(key) === flow) socket.send(encodeDatagram('data', connectionId, packet), remote)
      },
      onPacket(next) {
        listener = next
        for (const packet of early.splice(0)) next(packet)
      },
      close: forget,
    }
  }
}

const keyOf = (remote: Endpoint, connectionId: number) => `${formatEndpoint(remote)} ${connectionId}`
