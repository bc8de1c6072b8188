import type { UdpSocket } from '@lantern-room/easytier/transport'
import type { Endpoint } from '@lantern-room/easytier/wire'
import type { PortMapping, RouterAccess } from '#internal/routers/ports'
import { createFakeClock } from '#support/network/fakeClock'
import { createFakeUdpSocket } from '#support/network/replayTransports'
import { silentLog } from '#support/values/testLog'

type Datagram = (bytes: Uint8Array, to: Endpoint) => readonly (readonly [Uint8Array, Endpoint])[]
type Exchange = (
  url: string,
  soap: { readonly action: string; readonly body: string } | undefined,
) => { readonly status: number; readonly text: string }

/** A machine whose router answers as the test says, at once. */
export function createRouterGround(answers: { datagram?: Datagram; request?: Exchange } = {}) {
  const clock = createFakeClock()
  const sent: (readonly [Uint8Array, Endpoint])[] = []
  const asked: string[] = []
  const recorded = new Map<string, PortMapping>()
  let sockets = 0
  const transports = {
    machine: { isOwnAddress: () => false, isOwnName: () => false, isOnOwnSubnet: () => true },
    async openUdp(): Promise<UdpSocket> {
      sockets += 1
      const { socket, deliver } = createFakeUdpSocket(1, (bytes, to) => {
        sent.push([bytes, to])
        for (const [answer, from] of answers.datagram?.(bytes, to) ?? [])
          queueMicrotask(() => deliver(answer, from))
      })
      void socket.closed.then(() => {
        sockets -= 1
      })
      return socket
    },
  }
  const routers: RouterAccess = {
    addresses: async () => ['192.168.1.1'],
    localAddress: () => '192.168.1.7',
    async request(url, signal, soap) {
      signal.throwIfAborted()
      asked.push(soap ? `${soap.action.replaceAll('"', '').split('#')[1]}` : url)
      const answer = answers.request?.(url, soap)
      if (!answer) throw new Error('refused')
      return { ...answer, localAddress: '192.168.1.7' }
    },
    record: {
      leftovers: async () => [...recorded.values()],
      add: async (mapping) => void recorded.set(mapping.transport, mapping),
      remove: async (mapping) => void recorded.delete(mapping.transport),
    },
  }
  const log = silentLog()
  return { clock, transports, routers, log, sent, asked, recorded, sockets: () => sockets }
}

export const PMP: Endpoint = { address: '192.168.1.1', port: 5351 }

/** What a NAT-PMP router with this public address answers; it grants the external port that is asked for. */
export function pmpRouter(publicAddress: string): Datagram {
  return (bytes, to) => {
    if (to.port !== PMP.port) return []
    const view = Buffer.from(bytes)
    if (bytes.length === 2) {
      const address = publicAddress.split('.').map(Number)
      return [[Uint8Array.of(0, 128, 0, 0, 0, 0, 0, 1, ...address), PMP]]
    }
    const answer = Buffer.alloc(16)
    answer[1] = 128 + (bytes[1] ?? 0)
    view.copy(answer, 8, 4, 8)
    view.copy(answer, 12, 8, 12)
    return [[new Uint8Array(answer), PMP]]
  }
}
