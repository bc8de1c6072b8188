import { type Alarm, createAlarm } from '#core/async/alarm'
import type { Log } from '#core/log'
import type { UdpTransport } from '../transport/udpTransport'
import type { Endpoint } from '../wire/socketAddress'
import type { NatTools } from './askStun'
import { detectTcpNat, detectUdpNat, stunServers } from './detectNat'
import { type NatType, natTypes } from './natType'

/** How the internet sees us. What is not known yet is unknown, undefined or empty. */
export type NatInfo = {
  readonly udp: NatType
  readonly tcp: NatType
  /** The room's own UDP socket, as servers see it. */
  readonly mapped: Endpoint | undefined
  /** Our public addresses. */
  readonly addresses: readonly string[]
  /** Who can be asked, by UDP and by TCP. */
  readonly servers: readonly Endpoint[]
  readonly tcpServers: readonly Endpoint[]
}

export const UNKNOWN_NAT: NatInfo = {
  udp: natTypes.unknown,
  tcp: natTypes.unknown,
  mapped: undefined,
  addresses: [],
  servers: [],
  tcpServers: [],
}

/** Unknown types are looked at again soon, known ones now and then: routers are restarted, lines change. */
const UNKNOWN_AGAIN_MS = 10_000
const KNOWN_AGAIN_MS = 600_000

/** Keeps watch over how the internet sees our sockets, until the signal aborts. */
export type NatObserver = {
  /** Looks at once: the network has changed. */
  again(): void
  /** Resolves, never rejects, after the signal. */
  readonly closed: Promise<void>
}

/** UDP and TCP side by side: where one of them is blocked, its time-outs hold up nothing. */
export function observeNat(
  options: NatTools & {
    readonly udp: UdpTransport
    /** A port that TCP connections may come from. */
    readonly tcpPort: () => number
    readonly stun: readonly string[]
    readonly nodes: readonly string[]
    readonly log: Log
    readonly onView: (view: NatInfo) => void
    readonly signal: AbortSignal
  },
): NatObserver {
  const { clock, log, stun, signal } = options
  const alarms = [createAlarm(clock), createAlarm(clock)] as const
  let view = UNKNOWN_NAT
  const show = (part: Partial<NatInfo>) => {
    if (signal.aborted) return
    view = { ...view, ...part }
    options.onView(view)
    log.debug('seen from outside', { udp: view.udp, tcp: view.tcp })
  }

  const canAskUdp = stun.length > 0 || options.nodes.some((node) => node.startsWith('udp:'))
  const byUdp =
    canAskUdp &&
    watch(alarms[0], signal, async () => {
      const servers = await stunServers(stun, options.nodes, options, signal)
      const { type, mapped, addresses } = await detectUdpNat(options.udp, servers, options, signal)
      show({ udp: type, mapped, addresses, servers })
      return type
    })
  const byTcp =
    stun.length > 0 &&
    watch(alarms[1], signal, async () => {
      // Listeners of shared nodes answer STUN by UDP alone.
      const tcpServers = await stunServers(stun, [], options, signal)
      const { type } = await detectTcpNat(tcpServers, options.tcpPort(), options, signal)
      show({ tcp: type, tcpServers })
      return type
    })

  return {
    again() {
      view = UNKNOWN_NAT
      for (const alarm of alarms) alarm.wake()
    },
    closed: Promise.all([byUdp, byTcp]).then(() => {}),
  }
}

async function watch(alarm: Alarm, signal: AbortSignal, look: () => Promise<NatType>): Promise<void> {
  while (!signal.aborted) {
    const type = await look().catch(() => natTypes.unknown)
    const pause = type === natTypes.unknown ? UNKNOWN_AGAIN_MS : KNOWN_AGAIN_MS
    await alarm.wait(pause, signal).catch(() => undefined)
  }
}
