import { isPublicIpv4 } from '@lantern-room/base'
import { createHolePunching, type HolePunchingOptions } from '../holePunching/holePunching'
import {
  createNatObserver,
  isReachableByAll,
  type NatObserver,
  type NatObserverOptions,
  UNKNOWN_NAT,
} from '../nat/natObserver'
import { isSymmetric } from '../nat/natType'
import { createPortMapper, type PortMapper } from '../portMapping/portMapper'
import type { NodesOfNetwork } from '../transport/namedNode'
import type { PortMapping } from '../transport/transports'
import { DirectDialer } from './directDialer'
import type { OwnReach } from './listenerList'

export type DirectConnectionsOptions = HolePunchingOptions &
  Pick<NatObserverOptions, 'stunServers' | keyof NodesOfNetwork> & {
    /** A member tells more listeners than are dialled. */
    readonly onOverShare: (peerId: number) => void
    /** Ports of our router were opened or closed, or more is known of our address. */
    readonly onReach: () => void
  }

export type DirectConnections = ReturnType<typeof createDirectConnections>

/** Connects members without a shared node between: dials them, punches holes, and observes our own NAT for both. */
export function createDirectConnections(options: DirectConnectionsOptions) {
  const { peer, udp, transports, clock, randomBytes, log, wants, attach, onOverShare, onReach, signal } =
    options
  let natInfo = UNKNOWN_NAT
  let natObserver: NatObserver | undefined
  let lastAddress: string | undefined
  let tcpPort: number | undefined
  let portMapper: PortMapper | undefined
  const dialer = DirectDialer.open({
    transports,
    udp,
    clock,
    peer,
    reach,
    wants,
    onOverShare,
    log,
    signal,
    onConnection: (connection, peerId) => attach(connection, { isDialler: true, expectPeer: peerId }),
  })
  const holePunching = createHolePunching({
    transports,
    clock,
    randomBytes,
    peer,
    log,
    udp,
    wants,
    attach,
    signal,
  })
  // Once for all connections that open and close in the same turn.
  peer.peersChanged.subscribe(update)

  return {
    /** To be called once our listeners are open. @param tcpPort of our TCP listener */
    start(port: number): void {
      tcpPort = port
      portMapper = startPortMapper(port)
      natObserver = createNatObserver({
        transports,
        clock,
        randomBytes,
        udp,
        nodes: options.nodes,
        invitedNodes: options.invitedNodes,
        stunServers: options.stunServers,
        log,
        signal,
        onChange(info) {
          natInfo = info
          peer.setOwn({ udpNatType: info.udp, tcpNatType: info.tcp })
          holePunching.setNatInfo(info)
          const before = lastAddress
          lastAddress = info.mapped?.address ?? before
          if (before !== undefined && lastAddress !== before) {
            dialer.restart()
            holePunching.retry()
          }
          onReach()
        },
      })
    },
    /** Asks servers and the router anew, and starts over if our public address is another one. */
    askAnew(): void {
      natObserver?.refresh()
      portMapper?.restart()
    },
    /** Forgets NAT types and failures, for use after a change of network. */
    restart(): void {
      dialer.restart()
      holePunching.restart()
      lastAddress = undefined
      natObserver?.restart()
      portMapper?.restart()
    },
    /** Ports of our router that others can reach. */
    mappings: published,
    isReachableByAll: (): boolean => isReachableByAll(natInfo, published(), transports.interfaceAddresses()),
    /** Resolves after the signal, when all its sockets are closed. */
    closed: (): Promise<void> =>
      Promise.all([holePunching.closed, natObserver?.closed, portMapper?.closed]).then(() => {}),
  }

  function startPortMapper(port: number): PortMapper | undefined {
    const { routers } = transports
    if (!routers) return undefined
    return createPortMapper({
      transports,
      routers,
      clock,
      ports: { tcp: port, udp: udp.port },
      log,
      signal,
      onChange() {
        dialer.restart()
        onReach()
      },
    })
  }

  /** Behind a second router, whose address servers see, a port of the first is not one of the internet. */
  function published(): readonly PortMapping[] {
    const { addresses } = natInfo
    const mappings = portMapper?.mappings() ?? []
    return mappings.filter(({ external: { address } }) =>
      addresses.length > 0 ? addresses.includes(address) : isPublicIpv4(address),
    )
  }

  function reach(): OwnReach {
    const mappings = published()
    const mappedSocket = mappings.find(({ transport }) => transport === 'udp')?.external
    return {
      ports: tcpPort === undefined ? undefined : { tcp: tcpPort, udp: udp.port },
      publicIpv4: natInfo.mapped?.address,
      publicIpv6: natInfo.mappedIpv6,
      publicSocket: mappedSocket ?? (isSymmetric(natInfo.udp) ? undefined : natInfo.mapped),
      mappings,
    }
  }

  function update(): void {
    dialer.update()
    holePunching.update()
  }
}
