/** `dead`: nothing came for a minute. `unanswered`: it could not be opened. */
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
  cut: 'The other side closed the stream before all of it had arrived.',
  closed: 'The stream is closed.',
  'too-many': 'There are too many streams.',
  cancelled: 'The stream was cancelled before it was open.',
}
