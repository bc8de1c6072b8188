import type { Clock } from '@lantern-room/base/async'
import { createDeferred, onAbort, withDeadline } from '@lantern-room/base/async'
import { toHex } from '@lantern-room/base/bytes'
import { OutboundRefusal } from '@lantern-room/base/network'
import { Connections } from '../peer/connections'
import { memberHandshake } from '../peer/handshake'
import { randomId } from '../random'
import type { Connection, Transports } from '../transport/transports'
import { createUdpTransport, type UdpTransport } from '../transport/udpTransport'
import { dialNode, firstOf } from './dialNode'
import { expandNodes } from './expandNodes'
import { PROBLEM_TEXTS } from './sharedNodes'

/** Does a handshake with a node of this address, of a list with the first that answers. Never rejects. */
export type NodeProbe = (url: string, limitMs: number) => Promise<ProbeResult>

export type ProbeResult =
  | { readonly latencyMs: number; readonly isSharedNode: boolean }
  /** `isRefused`: it, or what it leads to, is not asked. */
  | { readonly problem: string; readonly isRefused?: boolean }

/**
 * Probes nodes by a real handshake, under a random network name.
 * @example
 * const probe = createNodeProbe({ transports, clock, randomBytes })
 * const result = await probe('tcp://node.example.com:11010', 3000)
 * if ('latencyMs' in result) show(result.latencyMs)
 */
export function createNodeProbe(dependencies: {
  readonly transports: Transports
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
}): NodeProbe {
  const { transports, clock, randomBytes } = dependencies

  return async (url, limitMs) => {
    const late = () => new Error(`no answer in ${limitMs / 1000} s`)
    let udp: UdpTransport | undefined
    let refusal: OutboundRefusal | undefined
    try {
      udp = createUdpTransport({ socket: await transports.openUdp(0, 'both'), clock, randomBytes })
      const dialling = { transports, udp, clock }
      return await withDeadline(clock, limitMs, undefined, late, async (limit) => {
        const addresses = await expandNodes({ url, origin: 'typed' }, transports, limit)
        const connection = await firstOf(addresses, clock, limit, (address, signal) =>
          dialNode(address, dialling, limitMs, signal).catch((error: unknown) => {
            if (error instanceof OutboundRefusal) refusal ??= error
            throw error
          }),
        )
        return probeConnection(connection, limit)
      })
    } catch (error) {
      // Of a list it says more than what does not answer.
      const shown = refusal ?? error
      const problem = shown instanceof Error ? shown.message : String(shown)
      return shown instanceof OutboundRefusal ? { problem, isRefused: true } : { problem }
    } finally {
      udp?.close()
    }
  }

  async function probeConnection(connection: Connection, signal: AbortSignal): Promise<ProbeResult> {
    const name = toHex(randomBytes(12))
    const ownId = randomId(randomBytes)
    const result = createDeferred<ProbeResult>()
    const connections = new Connections({
      ownId,
      clock,
      handshake: memberHandshake({ name: `probe-${name}`, secret: name }, ownId),
    })
    connections.listen({
      onOpen: () => {},
      onPacket: () => {},
      isUsed: () => false,
      onClosed: (_connection, problem) => result.resolve({ problem: PROBLEM_TEXTS[problem] }),
      onChange() {
        const [opened] = connections.established()
        if (opened?.roundTrip === undefined) return
        const { roundTrip, isSharedNode } = opened
        result.resolve({ latencyMs: Math.round(roundTrip * 10) / 10, isSharedNode })
      },
    })
    const unsubscribe = onAbort(signal, () => result.resolve({ problem: 'no handshake in time' }))
    connections.take(connection, { isDialler: true, url: 'probe' })
    try {
      return await result.promise
    } finally {
      unsubscribe()
      connections.close()
    }
  }
}
