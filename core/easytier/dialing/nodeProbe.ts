import type { Clock } from '#core/clock'
import { createConnections } from '../peer/connections'
import { memberHandshake } from '../peer/handshake'
import { randomPeerId } from '../random'
import type { Connection, Transports } from '../transport/transports'
import { createUdpTransport } from '../transport/udpTransport'
import { dialNode } from './dialNode'
import { expandNodes } from './expandNodes'

/** Does a handshake with a node of this address. Never rejects. */
export type ProbeNode = (
  url: string,
  limitMs: number,
) => Promise<{ readonly latencyMs: number; readonly isSharedNode: boolean } | { readonly problem: string }>

/** Does a real handshake with a node, under a network name that nobody else has. */
export function createNodeProbe(dependencies: {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}): ProbeNode {
  const { transports, clock, randomBytes } = dependencies

  return async (url, limitMs) => {
    const controller = new AbortController()
    const cancel = clock.after(limitMs, () => controller.abort(new Error(`no answer in ${limitMs / 1000} s`)))
    let udp: ReturnType<typeof createUdpTransport> | undefined
    try {
      udp = createUdpTransport({ socket: await transports.openUdp(0), clock, randomBytes })
      const [place] = await expandNodes(url, transports, controller.signal)
      if (!place) return { problem: 'the list names no node' }
      const link = await dialNode(place, { transports, udp, clock }, limitMs, controller.signal)
      return await greet(link, controller.signal)
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) }
    } finally {
      cancel()
      udp?.close()
    }
  }

  function greet(carried: Connection, signal: AbortSignal) {
    const name = Array.from(randomBytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('')
    const ownId = randomPeerId(randomBytes)
    return new Promise<Awaited<ReturnType<ProbeNode>>>((resolve) => {
      let isOver = false
      const finish = (result: Awaited<ReturnType<ProbeNode>>) => {
        // Closing the link tells of a link that was closed.
        if (isOver) return
        isOver = true
        links.close()
        carried.close()
        signal.removeEventListener('abort', onAbort)
        resolve(result)
      }
      const onAbort = () => finish({ problem: 'no handshake in time' })
      const links = createConnections({
        ownId,
        clock,
        handshake: memberHandshake({ name: `probe-${name}`, secret: name }, ownId),
        send: (_id, packet) => carried.send(packet),
        close: () => {},
        onOpen: () => {},
        onClosed: (_link, problem, wasOpen) =>
          finish({ problem: wasOpen ? 'it closed the connection' : problem }),
        onPacket: () => {},
        isUsed: () => false,
        onChange() {
          const [link] = links.established()
          if (link?.roundTrip === undefined) return
          finish({ latencyMs: Math.round(link.roundTrip * 10) / 10, isSharedNode: link.isSharedNode })
        },
      })
      signal.addEventListener('abort', onAbort, { once: true })
      void carried.closed.then(() => links.remove(1))
      links.add(1, { transport: carried.transport, isDialler: true, url: 'probe' })
      carried.onPacket((packet) => links.receive(1, packet))
    })
  }
}
