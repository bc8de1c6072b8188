import type { Log } from '@lantern-room/base'
import { type Clock, sleep, untilAborted } from '@lantern-room/base/async'
import type { LanDiscovery } from '@lantern-room/easytier/transport'
import { reportOnce } from '#adapters/network/multicastInterfaces'
import type { NetworkInterfaces } from '../../network/networkInterfaces'
import { isQueryFor, portIn, recordsOf, SERVICE } from './lanRecords'
import { type LanSocket, type LanSocketOptions, openLanSockets } from './lanSockets'

/** Pauses between queries; the last one is used from then on. */
const QUERY_PAUSES_MS = [250, 750, 2000]
/** One multicast answer serves all queries within this time. */
const ANSWER_EVERY_MS = 100
/** The announcement is repeated after a second, as RFC 6762 requires: a datagram may be lost. */
const ANNOUNCE_AGAIN_MS = 1000

/** Rooms on the LAN by multicast DNS (RFC 6762), IPv4. */
export function createLanDiscovery({
  interfaces,
  clock,
  log,
  scan,
}: {
  /** Addresses or names; undefined = all. */
  readonly interfaces: readonly string[] | undefined
  readonly clock: Clock
  readonly log: Log
  readonly scan: () => NetworkInterfaces
}): LanDiscovery {
  return { announce, discover }

  function open(signal: AbortSignal, on: Pick<LanSocketOptions, 'onReady' | 'onPacket'>) {
    return openLanSockets({ interfaces, clock, scan, report: reportOnce(log), signal, ...on })
  }

  async function announce(key: string, port: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const answeredAt = new Map<string, number>()
    const answer = ({ address, mdns }: LanSocket) => mdns.respond(recordsOf({ key, port, address }))
    const sockets = open(signal, {
      onReady: answer,
      onPacket(packet, _from, socket) {
        if (packet.type !== 'query' || !isQueryFor(packet, key)) return
        const sinceLast = clock.now() - (answeredAt.get(socket.address) ?? Number.NEGATIVE_INFINITY)
        if (sinceLast < ANSWER_EVERY_MS) return
        answeredAt.set(socket.address, clock.now())
        answer(socket)
      },
    })
    const cancel = clock.after(ANNOUNCE_AGAIN_MS, () => sockets.ready().forEach(answer))
    await untilAborted(signal)
    cancel()
    await Promise.all(sockets.ready().map((socket) => sendGoodbye(socket, key, port)))
    await sockets.close()
  }

  async function discover(
    key: string,
    onFound: (at: { readonly address: string; readonly port: number }) => void,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return
    const query = ({ mdns }: LanSocket) => mdns.query([{ type: 'PTR', name: SERVICE }])
    const sockets = open(signal, {
      onReady: query,
      onPacket(packet, { address }) {
        const port = packet.type === 'response' && !signal.aborted ? portIn(packet, key) : undefined
        // The sender's address rather than the record's: it is on the network that both machines share.
        if (port !== undefined) onFound({ address, port })
      },
    })
    for (let count = 0; !signal.aborted; count += 1) {
      const pause = QUERY_PAUSES_MS[count] ?? QUERY_PAUSES_MS.at(-1) ?? 0
      await sleep(clock, pause, signal).catch(() => {})
      if (!signal.aborted) sockets.ready().forEach(query)
    }
    await sockets.close()
  }
}

/** The records with a lifetime of zero, which removes them from caches. */
function sendGoodbye({ address, mdns }: LanSocket, key: string, port: number): Promise<void> {
  return new Promise((resolve) => mdns.respond(recordsOf({ key, port, address }, 0), () => resolve()))
}
