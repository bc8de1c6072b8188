import type { Clock, RoomLog } from '../../ports'
import type { Carriers, PacketLink } from '../carriers'
import type { UdpEndpoint } from '../links/udpEndpoint'
import { isSymmetric } from '../nat/natType'
import type { Serve } from '../node/calls'
import type { LinkOrigin } from '../node/link'
import type { Node } from '../node/node'
import { createPunching } from '../punching/punching'
import { random32 } from '../random'
import { createDirects } from './directs'
import { NO_VIEW, type OutsideView, watchFromOutside } from './outsideView'

/** All that connects members without a shared node between: dialling, hole punching, and what the internet sees of us. */
export type DirectWays = {
  /** Opens the ways to others, which have been told of our listeners. @param tcpPort of our TCP listener */
  open(tcpPort: number): void
  /** To be called after every change. */
  look(): void
  /** The network has changed. */
  again(): void
  /** Answers the calls that are about direct ways; undefined for others. */
  readonly serve: Serve
  /** Resolves after the signal, when nothing of it is left. */
  closed(): Promise<void>
}

export type DirectWaysOptions = {
  readonly node: () => Node
  readonly carriers: Carriers
  readonly udp: UdpEndpoint
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: RoomLog
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly nodes: readonly string[]
  /** Whether a direct link to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  readonly attach: (link: PacketLink, origin: Omit<LinkOrigin, 'carrier'>) => void
  readonly signal: AbortSignal
}

/** Where TCP connections for a look from outside come from: above the usual services. */
const FIRST_PORT = 20_000
const PORTS = 40_000

export function createDirectWays(options: DirectWaysOptions): DirectWays {
  const { node, udp, attach, randomBytes } = options
  let view = NO_VIEW
  let outside: OutsideView | undefined
  let tcpPort: number | undefined
  const directs = createDirects({
    ...options,
    listeners: () => (tcpPort === undefined ? undefined : { tcp: tcpPort, udp: udp.port }),
    publicAddress: () => view.mapped?.address,
    publicSocket: () => (isSymmetric(view.udp) ? undefined : view.mapped),
    onLink: (link, peerId) => attach(link, { isDialler: true, expectPeer: peerId }),
  })
  const punching = createPunching(options)

  return {
    open(port) {
      tcpPort = port
      outside = watchFromOutside({
        ...{ ...options, stun: options.stunServers },
        tcpPort: () => FIRST_PORT + (random32(randomBytes) % PORTS),
        onView(seen) {
          view = seen
          node().setOwn({ udpNatType: seen.udp, tcpNatType: seen.tcp })
          punching.see(seen)
        },
      })
    },
    look() {
      directs.look()
      punching.look()
    },
    again() {
      directs.again()
      punching.again()
      outside?.again()
    },
    serve(method, request, from, reply) {
      if (method !== 'getIpList') return punching.serve(method, request, from, reply)
      reply(directs.answerIpList())
      return 'taken'
    },
    closed: () => Promise.all([punching.closed, outside?.closed]).then(() => {}),
  }
}
