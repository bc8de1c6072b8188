/** What carries packets to one neighbour: a TCP connection, a UDP association, a WebSocket. */
export type TransportKind = 'tcp' | 'udp' | 'ws'

/** Set by whoever owns the transport. */
export type ConnectionOrigin = {
  readonly transport: TransportKind
  readonly isDialler: boolean
  /** What was dialled: a configured shared node. */
  readonly url?: string
  /** Only this peer is wanted at the other end. */
  readonly expectPeer?: number
  /** The way was opened by hole punching. */
  readonly isPunched?: boolean
}

export type ConnectionProblem =
  | 'wrong-secret'
  | 'own-self'
  | 'unexpected-peer'
  | 'no-handshake'
  | 'other-network'
  | 'refused'
  | 'silent'
  | 'closed'

export type PeerConnection = {
  readonly id: number
  readonly origin: ConnectionOrigin
  /** 0 until the handshake is done. */
  readonly peerId: number
  readonly isSharedNode: boolean
  /** Round trip in milliseconds, smoothed. */
  readonly roundTrip: number | undefined
  readonly isOpen: boolean
  /** When a ping was answered last, in the clock's time: then both ways stood. */
  readonly answeredAt: number | undefined
}
