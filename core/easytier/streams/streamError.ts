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
