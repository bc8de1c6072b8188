/**
 * How much of a peer its streams may take, since the other side decides how many there are and how fast they send.
 * @see docs/network/streams.md
 */
export type StreamLimits = {
  /** Of all peers, in both directions. */
  readonly streams: number
  /** That one peer has opened to us, half-open ones included. */
  readonly streamsPerPeer: number
  /** Received bytes that have not been read yet, of all streams together. */
  readonly heldBytes: number
  /** Of those that one peer has opened to us. */
  readonly heldBytesPerPeer: number
  /** How long an accepted stream may stay without data. */
  readonly idleMs: number
}

export const STREAM_LIMITS: StreamLimits = {
  streams: 1024,
  streamsPerPeer: 128,
  heldBytes: 32 * 1024 * 1024,
  heldBytesPerPeer: 4 * 1024 * 1024,
  idleMs: 30_000,
}
