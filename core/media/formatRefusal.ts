import { type ErrorCode, ServiceError } from '@lantern-room/base'
import { FormatError, type FormatErrorCode } from '@lantern-room/mp4/source'

/** What a refusal of core/formats is to a client. A new code does not compile until it has one here. */
const CODES: Readonly<Record<FormatErrorCode, ErrorCode>> = {
  empty: 'invalid-request',
  'unknown-format': 'unsupported-media',
  'no-video': 'unprocessable',
  'no-live-photo': 'unprocessable',
  compressed: 'unprocessable',
  damaged: 'unprocessable',
  'too-large': 'payload-too-large',
  'too-many-parts': 'invalid-request',
  irreparable: 'unprocessable',
  'invalid-part': 'internal',
}

/**
 * A FormatError as the ServiceError that clients see, with its words; any other thrown value as it is.
 * @example throw serviceErrorOf(error)
 */
export function serviceErrorOf(thrown: unknown): unknown {
  if (!(thrown instanceof FormatError)) return thrown
  const { code, detail, cause } = thrown
  return new ServiceError(CODES[code], detail, { cause })
}

/**
 * Does work on the bytes of a file.
 * @throws ServiceError instead of FormatError
 * @example refusing(() => readNow(inspectFile(source), bytes))
 */
export function refusing<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    throw serviceErrorOf(thrown)
  }
}

/**
 * Waits for work on the bytes of a file.
 * @throws ServiceError instead of FormatError
 * @example await refusals(readFrom(inspectFile(source), source))
 */
export async function refusals<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (thrown) {
    throw serviceErrorOf(thrown)
  }
}
