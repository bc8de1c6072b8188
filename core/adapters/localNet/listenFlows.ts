import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import type { Clock } from '#core/async/clock'
import type { DatagramFlow } from '#core/byteStream'
import { enlargeBuffers, literalLookup } from '../network/nodeSockets'
import { createFlow, type FlowEnd } from './flow'

/** With so many, datagrams of new clients are dropped until a flow closes. */
const MAX_FLOWS = 1024

/** Bytes, for bursts: games send many datagrams at once. */
export const FLOW_BUFFER = 1024 * 1024

/**
 * Receives datagrams on one address, or on all of a family: one flow per client address and port.
 * @param options.idleMs after which a flow without traffic closes
 * @param options.isAllowed whether datagrams from an address are accepted
 * @returns `taken` when the port cannot be used, `absent` when the machine has no such address
 */
export function listenFlows(
  at: { readonly address: string; readonly port: number },
  onFlow: (flow: DatagramFlow) => void,
  options: {
    readonly clock: Clock
    readonly idleMs: number
    readonly isAllowed: (address: string) => boolean
  },
): Promise<{ close(): Promise<void> } | 'taken' | 'absent'> {
  const { clock, idleMs, isAllowed } = options
  const flows = new Map<string, FlowEnd>()
  const family = at.address.includes(':') ? 6 : 4
  const socket = createSocket({ type: `udp${family}`, ipv6Only: family === 6, lookup: literalLookup(family) })

  function flowFrom({ address, port }: RemoteInfo): FlowEnd | undefined {
    const key = `${address}:${port}`
    const known = flows.get(key)
    if (known !== undefined || flows.size >= MAX_FLOWS || !isAllowed(address)) return known
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
      // Some systems report a client that is gone as an error of the socket, which still serves the others.
      socket.removeAllListeners('error').on('error', () => {})
      socket.on('message', (bytes, from) => flowFrom(from)?.receive(bytes))
      enlargeBuffers(socket, FLOW_BUFFER)
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
