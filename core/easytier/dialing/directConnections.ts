import type { Clock } from '#core/clock'
import type { Log } from '#core/log'
import { createHolePunching } from '../holePunching/holePunching'
import { type NatObserver, observeNat, UNKNOWN_NAT } from '../nat/natObserver'
import { isSymmetric } from '../nat/natType'
import type { Peer } from '../peer/peer'
import type { ConnectionOrigin } from '../peer/peerConnection'
import type { Serve } from '../peer/rpcCalls'
import { random32 } from '../random'
import type { Connection, Transports } from '../transport/transports'
import type { UdpTransport } from '../transport/udpTransport'
import { createDirectDialer } from './directDialer'

/** All that connects members without a shared node between: dialling, hole punching, and what the internet sees of us. */
export type DirectConnections = {
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

export type DirectConnectionsOptions = {
  readonly node: () => Peer
  readonly transports: Transports
  readonly udp: UdpTransport
  readonly clock: Clock
  readonly randomBytes: (size: number) => Uint8Array
  readonly log: Log
  /** `host:port` of STUN servers. */
  readonly stunServers: readonly string[]
  readonly nodes: readonly string[]
  /** Whether a direct link to this member is wanted. */
  readonly wants: (peerId: number) => boolean
  readonly attach: (link: Connection, origin: Omit<ConnectionOrigin, 'transport'>) => void
  readonly signal: AbortSignal
}

/** Where TCP connections for a look from outside come from: above the usual services. */
const FIRST_PORT = 20_000
const PORTS = 40_000

export function createDirectConnections(options: DirectConnectionsOptions): DirectConnections {
  const { node, udp, attach, randomBytes } = options
  let view = UNKNOWN_NAT
  let outside: NatObserver | undefined
  let tcpPort: number | undefined
  const directs = createDirectDialer({
    ...options,
    listeners: () => (tcpPort === undefined ? undefined : { tcp: tcpPort, udp: udp.port }),
    publicAddress: () => view.mapped?.address,
    publicSocket: () => (isSymmetric(view.udp) ? undefined : view.mapped),
    onLink: (link, peerId) => attach(link, { isDialler: true, expectPeer: peerId }),
  })
  const punching = createHolePunching(options)

  return {
    open(port) {
      tcpPort = port
      outside = observeNat({
        ...options,
        stun: options.stunServers,
        tcpPort: () => FIRST_PORT + (random32(randomBytes) % PORTS),
        onChange(seen) {
          view = seen
          node().setOwn({ udpNatType: seen.udp, tcpNatType: seen.tcp })
          punching.setNatInfo(seen)
        },
      })
    },
    look() {
      directs.look()
      punching.update()
    },
    again() {
      directs.again()
      punching.restart()
      outside?.restart()
    },
    serve(method, request, from, reply) {
      if (method !== 'getIpList') return punching.serve(method, request, from, reply)
      reply(directs.answerIpList())
      return 'taken'
    },
    closed: () => Promise.all([punching.closed, outside?.closed]).then(() => {}),
  }
}
