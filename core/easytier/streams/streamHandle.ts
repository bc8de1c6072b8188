/** A stream as its owner sees it, without waiting: `createByteStream` makes a ByteStream of it. */
export type StreamHandle = {
  readonly peerId: number
  /** Bytes that wait to be sent. */
  readonly queued: number
  /** The next bytes; undefined when there are none at the moment. They belong to the caller. */
  read(): Uint8Array | undefined
  /** The bytes must not change afterwards. Ignored once the stream is closing. */
  write(bytes: Uint8Array): void
  /** Closes once the other side has read all that was written. */
  end(): void
  /** Closes at once. */
  destroy(): void
  /** `ending`: still delivering. `closed`: nothing is sent any more, but data that came before can be read. */
  readonly state: 'open' | 'ending' | 'closed'
  /** Why it broke; undefined while it has not, or was closed in order. */
  readonly error: StreamError | undefined
  /** Bytes that can be read. */
  readonly readable: number
  /** One listener, called after anything above may have changed. */
  onChange(listener: () => void): void
}

/** `dead`: no packet for a minute. `unanswered`: no answer while opening. `cut`: ended by the other side with data missing. */
export type StreamErrorReason =
  | 'refused'
  | 'unanswered'
  | 'reset'
  | 'dead'
  | 'cut'
  | 'closed'
  | 'too-many'
  | 'cancelled'

/** Why a stream broke, or was never opened. */
export class StreamError extends Error {
  readonly reason: StreamErrorReason

  constructor(reason: StreamErrorReason) {
    super(TEXTS[reason])
    this.name = 'StreamError'
    this.reason = reason
  }
}

const TEXTS: Record<StreamErrorReason, string> = {
  refused: 'The other side refused the stream.',
  unanswered: 'The other side did not answer.',
  reset: 'The other side broke the stream.',
  dead: 'The other side has not answered for a minute.',
  cut: 'The other side closed the stream before all of its data had arrived.',
  closed: 'The stream is closed.',
  'too-many': 'There are too many streams.',
  cancelled: 'The stream was cancelled before it was open.',
}
