import type { Clock } from '#core/clock'
import type { LanDiscovery } from '#core/easytier/transport/transports'
import type { Log } from '#core/log'
import type { NetworkInterfaces } from '../lan/interfaces'
import { reportOnce } from '../lan/reportOnce'
import { asksFor, portIn, recordsOf, SERVICE } from './lanRecords'
import { type LanSocket, openLanSockets } from './lanSockets'

/** Pauses between queries; the last one repeats. */
const QUERY_PAUSES_MS = [250, 750, 2000]
/** Queries within this time share one answer. */
const ANSWER_EVERY_MS = 100
/** Repeated after a second, as RFC 6762 requires: a datagram may be lost. */
const ANNOUNCE_AGAIN_MS = 1000

export type LanDiscoveryOptions = {
  /** Addresses or names; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly log: Log
  readonly scan: () => NetworkInterfaces
}

/** Rooms on the LAN by multicast DNS (RFC 6762), IPv4. */
export function createLanDiscovery({ interfaces, clock, log, scan }: LanDiscoveryOptions): LanDiscovery {
  return { announce, discover }

  async function announce(key: string, port: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const answeredAt = new Map<string, number>()
    const answer = ({ address, mdns }: LanSocket) => mdns.respond(recordsOf({ key, port, address }))
    const sockets = openLanSockets({
      interfaces,
      clock,
      scan,
      report: reportOnce(log),
      onReady: answer,
      onPacket(packet, _from, socket) {
        if (packet.type !== 'query' || !asksFor(packet, key)) return
        const sinceLast = clock.now() - (answeredAt.get(socket.address) ?? Number.NEGATIVE_INFINITY)
        if (sinceLast < ANSWER_EVERY_MS) return
        answeredAt.set(socket.address, clock.now())
        answer(socket)
      },
    })
    const cancel = clock.after(ANNOUNCE_AGAIN_MS, () => sockets.ready().forEach(answer))
    await aborted(signal)
    cancel()
    await Promise.all(sockets.ready().map((socket) => sayGoodbye(socket, key, port)))
    await sockets.close()
  }

  async function discover(
    key: string,
    onFound: (at: { readonly address: string; readonly port: number }) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return
    const ask = ({ mdns }: LanSocket) => mdns.query([{ type: 'PTR', name: SERVICE }])
    const sockets = openLanSockets({
      interfaces,
      clock,
      scan,
      report: reportOnce(log),
      onReady: ask,
      onPacket(packet, { address }) {
        const port = packet.type === 'response' && !signal.aborted ? portIn(packet, key) : undefined
        // The sender's address instead of the record's, because it is on the network that we share.
        if (port !== undefined) onFound({ address, port })
      },
    })
    let cancel = () => {}
    const askAgain = (turn: number) => {
      const pause = QUERY_PAUSES_MS[turn] ?? QUERY_PAUSES_MS.at(-1) ?? 0
      cancel = clock.after(pause, () => {
        sockets.ready().forEach(ask)
        askAgain(turn + 1)
      })
    }
    askAgain(0)
    await aborted(signal)
    cancel()
    await sockets.close()
  }
}

function sayGoodbye({ address, mdns }: LanSocket, key: string, port: number): Promise<void> {
  return new Promise((resolve) => mdns.respond(recordsOf({ key, port, address }, 0), () => resolve()))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
