import type { Log } from '@lantern-room/base'
import { type Alarm, createAlarm } from '@lantern-room/base/async'
import { isReachableAddress } from '@lantern-room/base/network'
import type { PortMapping } from '@lantern-room/routers'
import { randomLocalPort } from '../random'
import { type NamedNode, type NodesOfNetwork, namedNodes } from '../transport/namedNode'
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
  }

/**
 * Detects the NAT types again and again until the signal aborts. UDP and TCP are detected side by side: where one of them is
 * blocked, its time-outs do not delay the other.
 */
export class NatObserver {
  readonly #options: NatObserverOptions
  readonly #signal: AbortSignal
  readonly #nodes: readonly NamedNode[]
  readonly #alarms: Alarm[] = []
  #info = UNKNOWN_NAT
  #closed: Promise<void> = Promise.resolve()

  static open(options: NatObserverOptions, signal: AbortSignal): NatObserver {
    const observer = new NatObserver(options, signal)
    observer.#closed = observer.#observe()
    return observer
  }

  private constructor(options: NatObserverOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#nodes = namedNodes(options)
  }

  /** Resolves, and never rejects, after the signal. */
  get closed(): Promise<void> {
    return this.#closed
  }

  /** Forgets everything and detects at once, for use after a change of network. */
  restart(): void {
    this.#info = UNKNOWN_NAT
    this.refresh()
  }

  /** Detects at once, and keeps what is known until then. */
  refresh(): void {
    for (const alarm of this.#alarms) alarm.wake()
  }

  async #observe(): Promise<void> {
    const hasServers = this.#options.stunServers.length > 0
    const hasUdpServers = hasServers || this.#nodes.some(({ url }) => url.startsWith('udp:'))
    await Promise.all([
      hasUdpServers && this.#repeat(() => this.#detectUdp()),
      hasServers && this.#repeat(() => this.#detectTcp()),
      hasUdpServers && this.#repeat(() => this.#detectIpv6()),
    ])
  }

  async #repeat(detect: () => Promise<NatType>): Promise<void> {
    const alarm = createAlarm(this.#options.clock)
    this.#alarms.push(alarm)
    while (!this.#signal.aborted) {
      const type = await detect().catch(() => natTypes.unknown)
      const pause = type === natTypes.unknown ? UNKNOWN_PAUSE_MS : KNOWN_PAUSE_MS
      await alarm.wait(pause, this.#signal).catch(() => undefined)
    }
  }

  async #detectUdp(): Promise<NatType> {
    const servers = await this.#servers(this.#nodes, 'ipv4')
    const { udp } = this.#options
    const { type, mapped, addresses } = await detectUdpNat(udp, servers, this.#options, this.#signal)
    this.#update({ udp: type, mapped, addresses, servers })
    return type
  }

  async #detectTcp(): Promise<NatType> {
    // Listeners of shared nodes answer STUN over UDP only.
    const tcpServers = await this.#servers([], 'ipv4')
    const localPort = randomLocalPort(this.#options.randomBytes)
    const type = await detectTcpNat(tcpServers, localPort, this.#options, this.#signal)
    this.#update({ tcp: type, tcpServers })
    return type
  }

  async #detectIpv6(): Promise<NatType> {
    const mappedIpv6 = await this.#askByIpv6()
    if (JSON.stringify(mappedIpv6) !== JSON.stringify(this.#info.mappedIpv6)) this.#update({ mappedIpv6 })
    // Most machines have no IPv6: then only a change of the network is a reason to look again soon.
    return natTypes.noPat
  }

  async #askByIpv6(): Promise<Endpoint | undefined> {
    const { transports, udp } = this.#options
    const own = transports.interfaceAddresses().filter((address) => address.includes(':'))
    if (!own.some(isReachableAddress)) return undefined
    const servers = await this.#servers(this.#nodes, 'ipv6')
    const mapped = await queryFirst(this.#options, udp, servers, this.#signal)
    const isUsable = mapped?.address.includes(':') && isReachableAddress(mapped.address)
    return isUsable ? mapped : undefined
  }

  #servers(nodes: readonly NamedNode[], family: 'ipv4' | 'ipv6'): Promise<readonly Endpoint[]> {
    return stunServers(this.#options.stunServers, nodes, this.#options, this.#signal, family)
  }

  #update(part: Partial<NatInfo>): void {
    if (this.#signal.aborted) return
    const info = { ...this.#info, ...part }
    this.#info = info
    this.#options.onChange(info)
    this.#options.log.debug('NAT types detected', { udp: info.udp, tcp: info.tcp })
  }
}
