import type { Log } from '@lantern-room/base'
import { isReachableAddress } from '@lantern-room/base'
import { type Alarm, createAlarm } from '@lantern-room/base/async'
import { randomLocalPort } from '../random'
import { type NodesOfNetwork, namedNodes } from '../transport/namedNode'
import type { PortMapping } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import type { Endpoint } from '../wire/socketAddress'
import { detectTcpNat, detectUdpNat, stunServers } from './detectNat'
import { type NatType, natTypes } from './natType'
import { queryFirst, type StunOptions } from './queryStun'

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

/**
 * Whether every other member can reach this machine without hole punching. A router with IPv6 may let in only what was asked for
 * from inside; members ask each other for that.
 * @param mappings ports of the router that others can reach
 * @param ownAddresses of the machine's interfaces
 */
export function isReachableByAll(
  { udp, mappedIpv6 }: NatInfo,
  mappings: readonly PortMapping[],
  ownAddresses: readonly string[],
): boolean {
  const hasOwnIpv6 = mappedIpv6 !== undefined && ownAddresses.includes(mappedIpv6.address)
  return udp === natTypes.openInternet || mappings.length > 0 || hasOwnIpv6
}

/** Unknown types are detected again soon, known ones now and then: routers restart, and their addresses change. */
const UNKNOWN_PAUSE_MS = 10_000
const KNOWN_PAUSE_MS = 600_000

/** The UDP listeners of shared nodes answer STUN as well. */
export type NatObserverOptions = StunOptions &
  NodesOfNetwork & {
    readonly udp: UdpTransport
    /** `host:port` of STUN servers. */
    readonly stunServers: readonly string[]
    readonly log: Log
    readonly onChange: (info: NatInfo) => void
    readonly signal: AbortSignal
  }

export type NatObserver = ReturnType<typeof createNatObserver>

/**
 * Detects the NAT types again and again until the signal aborts. UDP and TCP are detected side by side: where one of them is
 * blocked, its time-outs do not delay the other.
 */
export function createNatObserver(options: NatObserverOptions) {
  const { transports, udp, stunServers: stun, clock, log, signal } = options
  const nodes = namedNodes(options)
  const alarms: Alarm[] = []
  let info = UNKNOWN_NAT
  const hasUdpServers = stun.length > 0 || nodes.some(({ url }) => url.startsWith('udp:'))
  /** Detects at once, and keeps what is known until then. */
  const refresh = () => {
    for (const alarm of alarms) alarm.wake()
  }

  return {
    /** Resolves, and never rejects, after the signal. */
    closed: Promise.all([
      hasUdpServers && repeat(detectUdp),
      stun.length > 0 && repeat(detectTcp),
      hasUdpServers && repeat(detectIpv6),
    ]).then(() => {}),
    /** Forgets everything and detects at once, for use after a change of network. */
    restart(): void {
      info = UNKNOWN_NAT
      refresh()
    },
    refresh,
  }

  async function repeat(detect: () => Promise<NatType>): Promise<void> {
    const alarm = createAlarm(clock)
    alarms.push(alarm)
    while (!signal.aborted) {
      const type = await detect().catch(() => natTypes.unknown)
      const pause = type === natTypes.unknown ? UNKNOWN_PAUSE_MS : KNOWN_PAUSE_MS
      await alarm.wait(pause, signal).catch(() => undefined)
    }
  }

  async function detectUdp(): Promise<NatType> {
    const servers = await stunServers(stun, nodes, options, signal)
    const { type, mapped, addresses } = await detectUdpNat(udp, servers, options, signal)
    update({ udp: type, mapped, addresses, servers })
    return type
  }

  async function detectTcp(): Promise<NatType> {
    // Listeners of shared nodes answer STUN over UDP only.
    const tcpServers = await stunServers(stun, [], options, signal)
    const type = await detectTcpNat(tcpServers, randomLocalPort(options.randomBytes), options, signal)
    update({ tcp: type, tcpServers })
    return type
  }

  async function detectIpv6(): Promise<NatType> {
    const mappedIpv6 = await askByIpv6()
    if (JSON.stringify(mappedIpv6) !== JSON.stringify(info.mappedIpv6)) update({ mappedIpv6 })
    // Most machines have no IPv6: then only a change of the network is a reason to look again soon.
    return natTypes.noPat
  }

  async function askByIpv6(): Promise<Endpoint | undefined> {
    const own = transports.interfaceAddresses().filter((address) => address.includes(':'))
    if (!own.some(isReachableAddress)) return undefined
    const servers = await stunServers(stun, nodes, options, signal, 'ipv6')
    const mapped = await queryFirst(options, udp, servers, signal)
    const isUsable = mapped?.address.includes(':') && isReachableAddress(mapped.address)
    return isUsable ? mapped : undefined
  }

  function update(part: Partial<NatInfo>): void {
    if (signal.aborted) return
    info = { ...info, ...part }
    options.onChange(info)
    log.debug('NAT types detected', { udp: info.udp, tcp: info.tcp })
  }
}
