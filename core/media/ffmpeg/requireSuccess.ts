import { ServiceError } from '@lantern-room/base'
import type { Ffmpeg, FfmpegOutcome, FfmpegTask } from '../ports'

/** What all runs of ffmpeg for one task have in common. */
export type FfmpegRun = { readonly ffmpeg: Ffmpeg; readonly timeoutMs: number; readonly signal: AbortSignal }

type Explain = (outcome: Pick<FfmpegOutcome, 'stderr'>) => ServiceError

/** @throws ServiceError what `explain` returns, when ffmpeg fails; by default as for a conversion of our own files */
export async function runFfmpeg(
  { ffmpeg, timeoutMs, signal }: FfmpegRun,
  args: readonly string[],
  stdin?: FfmpegTask['stdin'],
  explain: Explain = conversionError,
): Promise<FfmpegOutcome> {
  const outcome = await ffmpeg.run({ args, stdin, timeoutMs, signal })
  requireSuccess(outcome, explain)
  return outcome
}

/** @throws ServiceError as `ffmpegFailure` returns it, when ffmpeg failed or ran out of disk space */
export function requireSuccess(outcome: FfmpegOutcome, explain: Explain): void {
  if (outcome.exitCode !== 0 || isOutOfSpace(outcome)) throw ffmpegFailure(outcome, explain)
}

/** What `explain` says of a failed run, or that there is no space left. The cause has the details, which are logged. */
export function ffmpegFailure(outcome: Omit<FfmpegOutcome, 'stdout'>, explain: Explain): ServiceError {
  const { exitCode, stderr } = outcome
  const error = isOutOfSpace(outcome)
    ? new ServiceError('unavailable', 'The service has no space left. Try again later.', {
        reason: 'storage-full',
      })
    : explain(outcome)
  error.cause = { program: 'ffmpeg', exitCode, stderr: stderr.slice(-4000) }
  return error
}

/** ffmpeg exits with 0 even when the disk fills up while it finishes a file, so its messages must be read, too. */
export function isOutOfSpace({ stderr }: Pick<FfmpegOutcome, 'stderr'>): boolean {
  return /No space left on device|Disk quota exceeded/.test(ffmpegMessages(stderr))
}

/** Whether ffmpeg found nothing to write. */
export function isEmptyOutput({ stderr }: Pick<FfmpegOutcome, 'stderr'>): boolean {
  return /Output file is empty|Empty output/.test(ffmpegMessages(stderr))
}

/** ffmpeg's own messages, without what it repeats of the file: titles and comments are shown indented. */
export function ffmpegMessages(stderr: string): string {
  return stderr.replaceAll(/^ {2}.*$/gm, '')
}

/** The input is a file of ours, so the client's file is not to blame. */
export function conversionError(): ServiceError {
  return new ServiceError('internal', 'The video could not be converted. Try another range.')
}
