/** Every way a request can fail, named once. Each edge (HTTP, command line, …) maps all of them. */
export type ErrorCode =
  | 'invalid-request'
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'payload-too-large'
  | 'unsupported-media'
  | 'out-of-range'
  | 'unprocessable'
  | 'too-busy'
  | 'quota-exceeded'
  | 'internal'
  | 'unavailable'
  | 'timeout'

/** What an `unavailable` storage lacks, for a host that words it for the user of its machine. Never sent to clients. */
export type FailureReason = 'storage-full' | 'storage-unusable'

/** The name of a request's field where an error is shown: `range_start` is `--start` on the command line. */
type NameOf = (word: string) => string

/** A sentence that names fields of a request. */
export type Wording = (nameOf: NameOf) => string

/**
 * The one error class. `detail` is for the client: it names the field and says what to do next.
 * Paths, commands and a program's own words belong in `cause`, which is logged and never sent.
 * @example throw new ServiceError('not-found', 'There is no such session: prepare the video again.')
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly detail: string
  readonly reason: FailureReason | undefined
  /** When a retry makes sense; undefined for the code's usual time. */
  readonly retryAfterSeconds: number | undefined
  readonly #wording: Wording

  constructor(
    code: ErrorCode,
    detail: string | Wording,
    options?: {
      readonly cause?: unknown
      readonly reason?: FailureReason | undefined
      readonly retryAfterSeconds?: number | undefined
    },
  ) {
    const wording = typeof detail === 'string' ? () => detail : detail
    const inApiNames = wording((word) => word)
    super(inApiNames, options)
    this.name = 'ServiceError'
    this.code = code
    this.detail = inApiNames
    this.#wording = wording
    this.reason = options?.reason
    this.retryAfterSeconds = options?.retryAfterSeconds
  }

  /** The detail with other names for the fields of a request; `detail` has those of the HTTP API. */
  detailIn(nameOf: NameOf): string {
    return this.#wording(nameOf)
  }
}

/**
 * The error of work that was stopped because its time limit was over: a ServiceError `timeout`.
 * @example withDeadline(clock, timeoutMs, signal, tooSlow, work)
 */
export function tooSlow(): ServiceError {
  return new ServiceError('timeout', 'It took too long and was stopped. Try a shorter or smaller video.')
}

/**
 * The short name that the system, Node or a library gives an error, such as `ENOENT`.
 * @param error anything that was thrown
 * @returns undefined when it has none
 * @example if (systemCode(error) === 'ENOENT') return undefined
 */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
