/** What carries packets to one neighbour: a TCP connection, a UDP association, a WebSocket. */
export type LinkCarrier = 'tcp' | 'udp' | 'ws'

/** Set by whoever owns the carrier. */
export type LinkOrigin = {
  readonly carrier: LinkCarrier
  readonly isDialler: boolean
  /** What was dialled: a configured shared node. */
  readonly url?: string
  /** Only this peer is wanted at the other end. */
  readonly expectPeer?: number
  /** The way was opened by hole punching. */
  readonly isPunched?: boolean
}

export type LinkProblem =
  | 'wrong-secret'
  | 'own-self'
  | 'unexpected-peer'
  | 'no-handshake'
  | 'other-network'
  | 'refused'
  | 'silent'
  | 'closed'

export type Link = {
  readonly id: number
  readonly origin: LinkOrigin
  /** 0 until the handshake is done. */
  readonly peerId: number
  readonly isSharedNode: boolean
  /** Round trip in milliseconds, smoothed. */
  readonly roundTrip: number | undefined
  readonly isOpen: boolean
  /** When a ping was answered last, in the clock's time: then both ways stood. */
  readonly answeredAt: number | undefined
}
