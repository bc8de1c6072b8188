/** The connection that a request came by. */
export type Caller = {
  /** The member that has opened it. */
  readonly memberId: string
  /** Aborts when the connection closes; nothing is sent then. */
  readonly signal: AbortSignal
}
