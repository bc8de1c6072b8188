import { createEmitter } from '@lantern-room/base/async'
import { isPublicIpv4 } from '@lantern-room/base/network'
import type { PortMapping } from '@lantern-room/routers'
import { PortMapper } from '@lantern-room/routers'
import { HolePunching, type HolePunchingOptions } from '../holePunching/holePunching'
import {
  isReachableByAll,
  type NatInfo,
  NatObserver,
  type NatObserverOptions,
  UNKNOWN_NAT,
} from '../nat/natObserver'
import { isSymmetric } from '../nat/natType'
import type { NodesOfNetwork } from '../transport/namedNode'
import { DirectDialer } from './directDialer'
import type { OwnReach } from './listenerList'

export type DirectConnectionsOptions = HolePunchingOptions &
  Pick<NatObserverOptions, 'stunServers' | keyof NodesOfNetwork> & {
    /** A member tells more listeners than are dialled. */
    readonly onOverShare: (peerId: number) => void
  }

/** What is known of how others reach this machine. */
type KnownReach = {
  natInfo: NatInfo
  /** Of our listener. */
  tcpPort: number | undefined
  portMapper: PortMapper | undefined
}

/** Connects members without a shared node between: dials them, punches holes, and observes our own NAT for both. */
export class DirectConnections {
  /** Ports of our router were opened or closed, or more is known of our address. */
  readonly reachChanged = createEmitter<void>()
  readonly #options: DirectConnectionsOptions
  readonly #signal: AbortSignal
  readonly #reach: KnownReach
  readonly #dialer: DirectDialer
  readonly #holePunching: HolePunching
  #natObserver: NatObserver | undefined
  #lastAddress: string | undefined

  /** Dials and punches until the signal aborts. Our own NAT is observed from `start` on. */
  static open(options: DirectConnectionsOptions, signal: AbortSignal): DirectConnections {
    const { peer, udp, transports, clock, randomBytes, log, wants, attach, onOverShare } = options
    const reach: KnownReach = { natInfo: UNKNOWN_NAT, tcpPort: undefined, portMapper: undefined }
    const dialer = DirectDialer.open(
      {
        transports,
        udp,
        clock,
        peer,
        reach: () => ownReach(reach, udp.port),
        wants,
        onOverShare,
        log,
        onConnection: (connection, peerId) => attach(connection, { isDialler: true, expectPeer: peerId }),
      },
      signal,
    )
    const holePunching = HolePunching.open(
      { transports, clock, randomBytes, peer, log, udp, wants, attach },
      signal,
    )
    // Once for all connections that open and close in the same turn.
    peer.peersChanged.subscribe(() => {
      dialer.update()
      holePunching.update()
    })
    return new DirectConnections(options, signal, { reach, dialer, holePunching })
  }

  private constructor(
    options: DirectConnectionsOptions,
    signal: AbortSignal,
    parts: {
      readonly reach: KnownReach
      readonly dialer: DirectDialer
      readonly holePunching: HolePunching
    },
  ) {
    this.#options = options
    this.#signal = signal
    this.#reach = parts.reach
    this.#dialer = parts.dialer
    this.#holePunching = parts.holePunching
  }

  /** To be called once our listeners are open. @param tcpPort of our TCP listener */
  start(tcpPort: number): void {
    const { transports, clock, randomBytes, udp, nodes, invitedNodes, stunServers, log } = this.#options
    this.#reach.tcpPort = tcpPort
    this.#reach.portMapper = this.#openPortMapper(tcpPort)
    this.#natObserver = NatObserver.open(
      {
        transports,
        clock,
        randomBytes,
        udp,
        nodes,
        invitedNodes,
        stunServers,
        log,
        onChange: (info) => this.#noteNat(info),
      },
      this.#signal,
    )
  }

  /** Asks servers and the router anew, and starts over if our public address is another one. */
  askAnew(): void {
    this.#natObserver?.refresh()
    this.#reach.portMapper?.restart()
  }

  /** Forgets NAT types and failures, for use after a change of network. */
  restart(): void {
    this.#dialer.restart()
    this.#holePunching.restart()
    this.#lastAddress = undefined
    this.#natObserver?.restart()
    this.#reach.portMapper?.restart()
  }

  /** Ports of our router that others can reach. */
  mappings(): readonly PortMapping[] {
    return publicMappings(this.#reach)
  }

  isReachableByAll(): boolean {
    const { transports } = this.#options
    return isReachableByAll(this.#reach.natInfo, this.mappings(), transports.interfaceAddresses())
  }

  /** Resolves after the signal, when all its sockets are closed. */
  async closed(): Promise<void> {
    const { portMapper } = this.#reach
    await Promise.all([this.#holePunching.closed, this.#natObserver?.closed, portMapper?.closed])
  }

  #openPortMapper(tcpPort: number): PortMapper | undefined {
    const { transports, clock, udp, log } = this.#options
    const { routers } = transports
    if (!routers) return undefined
    return PortMapper.open(
      {
        transports,
        routers,
        clock,
        ports: { tcp: tcpPort, udp: udp.port },
        log,
        onChange: () => {
          this.#dialer.restart()
          this.reachChanged.emit()
        },
      },
      this.#signal,
    )
  }

  #noteNat(info: NatInfo): void {
    this.#reach.natInfo = info
    this.#options.peer.setOwn({ udpNatType: info.udp, tcpNatType: info.tcp })
    this.#holePunching.setNatInfo(info)
    const before = this.#lastAddress
    this.#lastAddress = info.mapped?.address ?? before
    if (before !== undefined && this.#lastAddress !== before) {
      this.#dialer.restart()
      this.#holePunching.retry()
    }
    this.reachChanged.emit()
  }
}

/** Behind a second router, whose address servers see, a port of the first is not one of the internet. */
function publicMappings({ natInfo: { addresses }, portMapper }: KnownReach): readonly PortMapping[] {
  const mappings = portMapper?.mappings() ?? []
  return mappings.filter(({ external: { address } }) =>
    addresses.length > 0 ? addresses.includes(address) : isPublicIpv4(address),
  )
}

function ownReach(known: KnownReach, udpPort: number): OwnReach {
  const { natInfo, tcpPort } = known
  const mappings = publicMappings(known)
  const mappedSocket = mappings.find(({ transport }) => transport === 'udp')?.external
  return {
    ports: tcpPort === undefined ? undefined : { tcp: tcpPort, udp: udpPort },
    publicIpv4: natInfo.mapped?.address,
    publicIpv6: natInfo.mappedIpv6,
    publicSocket: mappedSocket ?? (isSymmetric(natInfo.udp) ? undefined : natInfo.mapped),
    mappings,
  }
}
