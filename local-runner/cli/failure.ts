import { type FailureReason, ServiceError, type Wording } from '@lantern-room/base'
import { ConfigError } from '@lantern-room/base/settings'
import { checkPhotoRange, type PhotoRange, serviceErrorOf } from '@lantern-room/media/make'
import { inFolder, type WorkFolder, type WorkFolders } from '@lantern-room/media/ports'
import { type CommandFailure, failureOf as commonFailureOf, EXIT_ENVIRONMENT } from '../commandLine/failure'
import { printable, UsageError } from '../commandLine/readArguments'

/** Turns an error into one line and an exit code. */
export function failureOf(thrown: unknown): CommandFailure {
  const failure = commonFailureOf(thrown, 'motion-photo')
  if (!(thrown instanceof ServiceError) || thrown.code !== 'conflict') return failure
  const { exitCode, sentence } = failure
  return { exitCode, sentence: `${sentence} Overwrite it with --force, or name another with --output.` }
}

/**
 * Whether an error would end the work on every other file, too: a wrong option or setting, or something about this machine. Any other
 * costs its own file alone, also one that nobody foresaw.
 */
export function endsAll(thrown: unknown): boolean {
  const isOfAll = thrown instanceof UsageError || thrown instanceof ConfigError
  return isOfAll || failureOf(thrown).exitCode === EXIT_ENVIRONMENT
}

/** Does work on a file that the user has named, and puts that name in front of what it is refused for. */
export function about<T>(path: string, work: () => Promise<T>): Promise<T> {
  return reworded(work, (error) => {
    const { code, reason } = error
    const detail: Wording = (nameOf) => `${printable(path)}: ${error.detailIn(nameOf)}`
    return new ServiceError(code, detail, { cause: error, reason })
  })
}

/**
 * Does work whose refusals `reword` puts into other words, also those of a file's format.
 * @param reword returns undefined for one that stays as it is
 */
export async function reworded<T>(
  work: () => Promise<T>,
  reword: (error: ServiceError) => ServiceError | undefined,
): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = serviceErrorOf(thrown)
    throw error instanceof ServiceError ? (reword(error) ?? error) : error
  }
}

/** Does work in the temporary folder. Errors about the storage of a service are worded for the user of this machine. */
export function onThisMachine<T>(work: () => Promise<T>): Promise<T> {
  return reworded(work, (error) => {
    const { code, reason } = error
    return reason && new ServiceError(code, SENTENCES[reason], { cause: error })
  })
}

/** Does work in a folder of its own, which is removed afterwards. */
export function inWorkFolder<T>({ open }: WorkFolders, work: (folder: WorkFolder) => Promise<T>): Promise<T> {
  return inFolder({ open: () => onThisMachine(open) }, work)
}

const SENTENCES: Readonly<Record<FailureReason, string>> = {
  'storage-full': 'No space is left in the temporary folder. Free some, or set TMPDIR to another one.',
  'storage-unusable': 'The temporary folder cannot be written. Set TMPDIR to another one.',
}

/**
 * Refuses a range that is wrong for every video, before any work.
 * @throws UsageError
 */
export function checkRange(range: PhotoRange, limits: Parameters<typeof checkPhotoRange>[1]): void {
  try {
    checkPhotoRange(range, limits)
  } catch (error) {
    throw error instanceof ServiceError ? new UsageError(error.detailIn(optionOf)) : error
  }
}

/**
 * Does work whose refusals name fields of the API, and names them as they are on the command line.
 * @throws what `work` throws
 */
export function inWordsOfOptions<T>(work: () => Promise<T>): Promise<T> {
  return reworded(work, (error) => {
    const detail = error.detailIn(optionOf)
    return detail === error.detail ? undefined : new ServiceError(error.code, detail, { cause: error })
  })
}

function optionOf(word: string): string {
  return OPTIONS[word] ?? word
}

const OPTIONS: Readonly<Record<string, string>> = {
  range_start: '--start',
  range_end: '--end',
  cover_time: '--cover',
  'cover=source': '--cover source',
  cover_file: 'The picture of --cover-file',
  'Leave cover out, and send cover_time.': 'Give --cover a time.',
  'format=keep': '--format keep',
  format: '--format',
  profile: '--profile',
  metadata: '--metadata',
  rotate: '--rotate',
  crop: '--crop',
  repeat: '--repeat',
  'mute=true': '--mute',
  speed: '--speed',
  'wallpaper=true': '--wallpaper',
  'the preview': 'the video',
  photo: 'The photo',
  file: 'the video',
}
