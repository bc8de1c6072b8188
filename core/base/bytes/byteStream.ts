/**
 * A reliable two-way stream of bytes: a TCP connection, or a stream of the network. There is no half-close, since
 * the network's streams have none: `end` delivers what was written and then closes both directions.
 */
export type ByteStream = {
  /**
   * The next bytes, at least one; undefined once the other side has closed in order. One call at a time.
   * The bytes belong to the caller. @throws Error when the stream broke
   */
  read(): Promise<Uint8Array | undefined>
  /** Takes the bytes (they must not change afterwards); resolves when there is room for more. @throws Error when closed */
  write(bytes: Uint8Array): Promise<void>
  /** Delivers what was written, then closes. Resolves when that is done or the stream is gone. Never rejects. */
  end(): Promise<void>
  /** Closes at once; bytes in flight are lost. May be called at any time, any number of times. */
  destroy(): void
  /** Resolves, and never rejects, once the stream is closed for whatever reason and has released its resources. */
  readonly closed: Promise<void>
}

/** Datagrams between one client and one port. They may be lost, doubled or reordered. */
export type DatagramFlow = {
  /** At most 65,507 bytes; silently lost when the flow is closed or the network is down. */
  send(bytes: Uint8Array): void
  /** One listener; datagrams that arrive before it is set are dropped. */
  onDatagram(listener: (bytes: Uint8Array) => void): void
  close(): void
  readonly closed: Promise<void>
}

/** A flow that drops everything, for a port to which nothing may be sent. */
export const CLOSED_FLOW: DatagramFlow = {
  send() {},
  onDatagram() {},
  close() {},
  closed: Promise.resolve(),
}
