import type { RoomLog } from '../../ports'
import { sleep } from '../../service/wait'
import type { UdpEndpoint } from '../links/udpEndpoint'
import { detectTcpNat, detectUdpNat, type NatTools, stunServers } from '../nat/detectNat'
import { type NatType, natTypes } from '../nat/natType'
import type { Endpoint } from '../wire/socketAddr'

export type NatView = { readonly udp: NatType; readonly tcp: NatType; readonly mapped: Endpoint | undefined }

/** Unknown types are looked at again soon, known ones now and then: routers are restarted, lines change. */
const UNKNOWN_AGAIN_MS = 10_000
const KNOWN_AGAIN_MS = 600_000

/** Keeps watch over how the internet sees our sockets, until the signal aborts. Never rejects. */
export async function watchFromOutside(
  options: NatTools & {
    readonly udp: UdpEndpoint
    /** A port that TCP connections may come from. */
    readonly tcpPort: () => number
    readonly stun: readonly string[]
    readonly nodes: readonly string[]
    readonly log: RoomLog
    readonly onView: (view: NatView) => void
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { signal, clock } = options
  while (!signal.aborted) {
    try {
      const servers = await stunServers(options.stun, options.nodes, options, signal)
      if (servers.length === 0) return
      const [udp, tcp] = await Promise.all([
        detectUdpNat(options.udp, servers, options, signal),
        detectTcpNat(servers, options.tcpPort(), options, signal),
      ])
      if (signal.aborted) return
      options.onView({ udp: udp.type, tcp: tcp.type, mapped: udp.mapped })
      options.log.debug('seen from outside', { udp: udp.type, tcp: tcp.type })
      await sleep(clock, udp.type === natTypes.unknown ? UNKNOWN_AGAIN_MS : KNOWN_AGAIN_MS, signal)
    } catch (error) {
      if (!signal.aborted) options.log.debug('nobody says how we are seen', { cause: String(error) })
      await sleep(clock, UNKNOWN_AGAIN_MS, signal).catch(() => undefined)
    }
  }
}
