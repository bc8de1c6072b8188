import { systemCode } from '@lantern-room/base'
import type { Clock } from '@lantern-room/base/async'
import type { DatagramFlow } from '@lantern-room/base/bytes'
import type { Endpoint } from '@lantern-room/easytier/wire'
import { openUdp } from '../transports/openUdp'
import { createFlow, type FlowEnd } from './flow'

/** With so many, datagrams of new clients are dropped until a flow closes. */
const MAX_FLOWS = 1024

/**
 * Receives datagrams on one address, or on all of a family: one flow per client address and port.
 * @param options.idleMs after which a flow without traffic closes
 * @param options.isAllowed whether datagrams from an address are accepted
 * @returns `taken` when the port cannot be used, `absent` when the machine has no such address
 */
export async function listenFlows(
  at: Endpoint,
  onFlow: (flow: DatagramFlow) => void,
  options: {
    readonly clock: Clock
    readonly idleMs: number
    readonly isAllowed: (address: string) => boolean
  },
): Promise<{ close(): Promise<void> } | 'taken' | 'absent'> {
  const { clock, idleMs, isAllowed } = options
  const flows = new Map<string, FlowEnd>()
  const socket = await openUdp(at.address, at.port).catch((error: Error) =>
    ABSENT.has(systemCode(error.cause) ?? '') ? ('absent' as const) : ('taken' as const),
  )
  if (typeof socket === 'string') return socket
  const flowFrom = (client: Endpoint): FlowEnd | undefined => {
    const key = `${client.address}:${client.port}`
    const known = flows.get(key)
    if (known !== undefined || flows.size >= MAX_FLOWS || !isAllowed(client.address)) return known
    const send = (bytes: Uint8Array) => socket.send(bytes, client)
    const end = createFlow(send, { clock, idleMs, onClose: () => flows.delete(key) })
    flows.set(key, end)
    onFlow(end.flow)
    return end
  }
  socket.onDatagram((bytes, from) => flowFrom(from)?.receive(bytes))
  return {
    close() {
      for (const { flow } of [...flows.values()]) flow.close()
      socket.close()
      return socket.closed
    },
  }
}

const ABSENT: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])
