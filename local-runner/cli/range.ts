import { ServiceError } from '#core/errors'
import type { MediaLimits } from '#core/media/config'
import { checkPhotoRange, type PhotoRange } from '#core/media/oneShot/photoRange'
import { UsageError } from '../commandLine/readArguments'
import { reworded } from './failure'

/**
 * Refuses a range that is wrong for every video, before any work.
 * @throws UsageError
 */
export function checkRange(
  { start, end, cover, speed, repeat }: PhotoRange,
  limits: Pick<MediaLimits, 'maxClipSeconds' | 'maxInputSeconds'>,
): void {
  try {
    checkPhotoRange({ start, end, cover, speed, repeat }, limits)
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
  crop: '--crop',
  repeat: '--repeat',
  'mute=true': '--mute',
  speed: '--speed',
  'the preview': 'the video',
}
