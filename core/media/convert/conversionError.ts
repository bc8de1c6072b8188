import { ServiceError } from '#core/errors'
import { failureCause, isOutOfSpace, outOfSpace } from '../ffmpeg/requireSuccess'
import type { FfmpegOutcome } from '../ports'

/** Why a conversion failed, for the client. The input is a file of ours, so the client's file is not to blame. */
export function conversionError(outcome: FfmpegOutcome): ServiceError {
  const cause = failureCause(outcome)
  if (isOutOfSpace(outcome)) return outOfSpace(cause)
  return new ServiceError('internal', 'The video could not be converted. Try another range.', { cause })
}
