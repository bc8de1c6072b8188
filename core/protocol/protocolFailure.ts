/** Why a guest cannot go on with the host that it speaks with. Stable: the room service shows the same codes. */
export type ProtocolFailureCode =
  | 'connection-lost'
  | 'invalid-response'
  | 'fingerprint-mismatch'
  | 'host-changed'
  | 'room-full'
  | 'refused'
  | 'removed'

/**
 * The conversation with a host has failed. `detail` is one sentence for players; messages of programs and libraries are the
 * cause.
 */
export class ProtocolFailure extends Error {
  readonly code: ProtocolFailureCode
  readonly detail: string

  constructor(code: ProtocolFailureCode, detail: string, options: { readonly cause?: unknown } = {}) {
    super(detail, { cause: options.cause })
    this.name = 'ProtocolFailure'
    this.code = code
    this.detail = detail
  }
}
