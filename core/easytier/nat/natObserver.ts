import { isReachableAddress } from '#core/addressRanges'
import { type Alarm, createAlarm } from '#core/async/clock'
import type { Log } from '#core/log'
import type { UdpTransport } from '../transport/udpTransport'
import { type Endpoint, formatEndpoint } from '../wire/socketAddress'
import { detectTcpNat, detectUdpNat, stunServers } from './detectNat'
import { type NatType, natTypes } from './natType'
import { createStunClient, type StunClientOptions } from './stunClient'

/** What STUN servers have reported about this machine. What is not known yet is unknown, undefined or empty. */
export type NatInfo = {
  readonly udp: NatType
  readonly tcp: NatType
  /** The public address of the network's own UDP socket. */
  readonly mapped: Endpoint | undefined
  /** Our IPv6 endpoint. It is rarely translated, and shows which of our addresses the system chooses. */
  readonly mappedIpv6: Endpoint | undefined
  /** Our public addresses of IPv4. */
  readonly addresses: readonly string[]
  /** The STUN servers for UDP and for TCP, resolved. */
  readonly servers: readonly Endpoint[]
  readonly tcpServers: readonly Endpoint[]
}

export const UNKNOWN_NAT: NatInfo = {
  udp: natTypes.unknown,
  tcp: natTypes.unknown,
  mapped: undefined,
  mappedIpv6: undefined,
  addresses: [],
  servers: [],
  tcpServers: [],
}

/** Unknown types are detected again soon, known ones now and then: routers restart, and their addresses change. */
const UNKNOWN_PAUSE_MS = 10_000
const KNOWN_PAUSE_MS = 600_000

/** Detects the NAT types again and again until the signal aborts. */
export type NatObserver = {
  /** Forgets everything and detects at once, for use after a change of network. */
  restart(): void
  /** Detects at once, and keeps what is known until then. */
  refresh(): void
  /** Resolves, and never rejects, after the signal. */
  readonly closed: Promise<void>
}

/** UDP and TCP are detected side by side: where one of them is blocked, its time-outs do not delay the other. */
export function observeNat(
  options: StunClientOptions & {
    readonly udp: UdpTransport
    /** A free port for TCP connections to STUN servers. */
    readonly tcpPort: () => number
    readonly stun: readonly string[]
    readonly nodes: readonly string[]
    readonly log: Log
    readonly onChange: (info: NatInfo) => void
    readonly signal: AbortSignal
  },
): NatObserver {
  const { clock, log, stun, signal } = options
  const alarms = [createAlarm(clock), createAlarm(clock), createAlarm(clock)] as const
  let info = UNKNOWN_NAT
  const update = (part: Partial<NatInfo>) => {
    if (signal.aborted) return
    info = { ...info, ...part }
    options.onChange(info)
    log.debug('NAT types detected', { udp: info.udp, tcp: info.tcp })
  }

  const hasUdpServers = stun.length > 0 || options.nodes.some((node) => node.startsWith('udp:'))
  const byUdp =
    hasUdpServers &&
    detectRepeatedly(alarms[0], signal, async () => {
      const servers = await stunServers(stun, options.nodes, options, signal)
      const { type, mapped, addresses } = await detectUdpNat(options.udp, servers, options, signal)
      update({ udp: type, mapped, addresses, servers })
      return type
    })
  const byTcp =
    stun.length > 0 &&
    detectRepeatedly(alarms[1], signal, async () => {
      // Listeners of shared nodes answer STUN over UDP only.
      const tcpServers = await stunServers(stun, [], options, signal)
      const { type } = await detectTcpNat(tcpServers, options.tcpPort(), options, signal)
      update({ tcp: type, tcpServers })
      return type
    })

  const byIpv6 =
    hasUdpServers &&
    detectRepeatedly(alarms[2], signal, async () => {
      const mappedIpv6 = await askByIpv6()
      if (formatted(mappedIpv6) !== formatted(info.mappedIpv6)) update({ mappedIpv6 })
      // Most machines have no IPv6: then only a change of the network is a reason to look again soon.
      return natTypes.noPat
    })

  async function askByIpv6(): Promise<Endpoint | undefined> {
    const own = options.transports.interfaceAddresses().filter((address) => address.includes(':'))
    if (!own.some(isReachableAddress)) return undefined
    const servers = await stunServers(stun, options.nodes, options, signal, 'ipv6')
    const mapped = await createStunClient(options).queryFirst(options.udp, servers, signal)
    const isUsable = mapped?.address.includes(':') && isReachableAddress(mapped.address)
    return isUsable ? mapped : undefined
  }

  const refresh = () => {
    for (const alarm of alarms) alarm.wake()
  }

  return {
    refresh,
    restart() {
      info = UNKNOWN_NAT
      refresh()
    },
    closed: Promise.all([byUdp, byTcp, byIpv6]).then(() => {}),
  }
}

function formatted(endpoint: Endpoint | undefined): string {
  return endpoint ? formatEndpoint(endpoint) : ''
}

async function detectRepeatedly(
  alarm: Alarm,
  signal: AbortSignal,
  detect: () => Promise<NatType>,
): Promise<void> {
  while (!signal.aborted) {
    const type = await detect().catch(() => natTypes.unknown)
    const pause = type === natTypes.unknown ? UNKNOWN_PAUSE_MS : KNOWN_PAUSE_MS
    await alarm.wait(pause, signal).catch(() => undefined)
  }
}
