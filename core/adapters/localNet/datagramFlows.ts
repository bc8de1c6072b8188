import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import type { DatagramFlow } from '#core/byteStream'
import type { Clock } from '#core/clock'
import { createFlow, type FlowEnd } from './flow'

/** Beyond this, datagrams of new clients are dropped until a flow closes. */
const MAX_FLOWS = 1024

export type FlowListener = { close(): Promise<void> }

/**
 * Receives datagrams on one address, or on all of a family, as one flow per client address and port.
 * @param idleMs after which a flow without traffic closes
 * @param isWelcome whether datagrams from this address are accepted
 * @returns `taken` when the port cannot be used, `absent` when the machine has no such address
 */
export function listenFlows(
  at: { readonly address: string; readonly port: number },
  onFlow: (flow: DatagramFlow) => void,
  options: {
    readonly clock: Clock
    readonly idleMs: number
    readonly isWelcome: (address: string) => boolean
  },
): Promise<FlowListener | 'taken' | 'absent'> {
  const { clock, idleMs, isWelcome } = options
  const flows = new Map<string, FlowEnd>()
  const isIpv6 = at.address.includes(':')
  const socket = createSocket({
    type: isIpv6 ? 'udp6' : 'udp4',
    ipv6Only: isIpv6,
    // Only literal addresses are used, and the system's resolver would be called for each datagram.
    lookup: (address, _options, done) => done(null, address, isIpv6 ? 6 : 4),
  })

  function flowFrom({ address, port }: RemoteInfo): FlowEnd | undefined {
    const key = `${address}:${port}`
    const known = flows.get(key)
    if (known !== undefined || flows.size >= MAX_FLOWS || !isWelcome(address)) return known
    const send = (bytes: Uint8Array) => socket.send(bytes, port, address, () => {})
    const end = createFlow(send, { clock, idleMs, onClose: () => flows.delete(key) })
    flows.set(key, end)
    onFlow(end.flow)
    return end
  }

  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.close()
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT' ? 'absent' : 'taken')
    })
    socket.bind({ ...at, exclusive: true }, () => {
      // A client that has closed its port shows as an error of the socket; the other flows continue.
      socket.removeAllListeners('error').on('error', () => {})
      socket.on('message', (bytes, from) => flowFrom(from)?.receive(bytes))
      enlarge(socket)
      resolve({ close: () => closeAll(socket, flows) })
    })
  })
}

function closeAll(socket: Socket, flows: ReadonlyMap<string, FlowEnd>): Promise<void> {
  return new Promise((resolve) => {
    for (const { flow } of [...flows.values()]) flow.close()
    socket.close(() => resolve())
  })
}

/** Space for a burst: games send many datagrams at once. A system that refuses the size keeps its own. */
export function enlarge(socket: Socket): void {
  try {
    socket.setRecvBufferSize(1024 * 1024)
    socket.setSendBufferSize(1024 * 1024)
  } catch {}
}
