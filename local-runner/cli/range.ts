import { type ErrorCode, ServiceError } from '#core/errors'
import type { MediaLimits } from '#core/media/config'
import { checkPhotoRange, type PhotoRange } from '#core/media/oneShot/photoRange'
import { UsageError } from '../commandLine/readArguments'

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
    throw error instanceof ServiceError ? new UsageError(inOptionWords(error.detail)) : error
  }
}

/**
 * Does work whose refusals name fields of the API, and names them as they are on the command line.
 * @throws what `work` throws
 */
export async function inWordsOfOptions<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError) || !NAMING_FIELDS.includes(error.code)) throw error
    throw new ServiceError(error.code, inOptionWords(error.detail), { cause: error })
  }
}

const NAMING_FIELDS: readonly ErrorCode[] = ['out-of-range', 'unprocessable']

function inOptionWords(detail: string): string {
  return WORDS.reduce((text, [word, here]) => text.replaceAll(word, here), detail)
}

const WORDS = [
  ['range_start', '--start'],
  ['range_end', '--end'],
  ['cover_time', '--cover'],
  ['cover=source', '--cover source'],
  ['cover_file', 'The picture of --cover-file'],
  ['Leave cover out, and send --cover.', 'Give --cover a time.'],
  ['donor is', 'The donor is'],
  ['donor cannot', 'It cannot'],
  ['crop must', '--crop must'],
  ['repeat must', '--repeat must'],
  ['repeat is', '--repeat is'],
  ['mute=true', '--mute'],
  ['speed must', '--speed must'],
  ['the preview', 'the video'],
] as const
