import { ServiceError } from '#core/errors'
import type { FfmpegOutcome } from '../ports'
import { isOutOfSpace } from '../prepare/probe'

/** @throws ServiceError `internal`; `unavailable` when the disk is full */
export function mustSucceed(outcome: FfmpegOutcome): void {
  const hasSpace = !isOutOfSpace(outcome)
  if (outcome.exitCode === 0 && hasSpace) return
  const cause = { program: 'ffmpeg', exitCode: outcome.exitCode, stderr: outcome.stderr.slice(-4000) }
  if (!hasSpace) {
    throw new ServiceError('unavailable', 'The service has no space left. Try again later.', { cause })
  }
  throw new ServiceError('internal', 'The video could not be converted. Try another range.', { cause })
}
