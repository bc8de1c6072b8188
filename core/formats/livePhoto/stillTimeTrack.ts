import type { Movie } from '@lantern-room/mp4'
import { dataType, type MetadataTrack } from './metadataTrack'

export const STILL_TIME_KEY = 'com.apple.quicktime.still-image-time'

/** Well-known type 65: a signed byte. */
const INT8 = 65

/** How long the mark of the still lasts: one tick of an iPhone's movies. */
const MARK_SECONDS = 1 / 600

/** A track of metadata for a movie. */
export type Mark = (movie: Movie) => MetadataTrack

/**
 * The track that says at which moment of the movie the still was taken. The time of its only sample tells it; its value, as
 * cameras write it, is -1.
 * @param stillUs microseconds from the movie's start
 */
export function stillMark(stillUs: number): Mark {
  return ({ timescale, durationSeconds }) => {
    const ticks = Math.round(durationSeconds * timescale)
    const start = Math.max(0, Math.min(Math.round((stillUs / 1e6) * timescale), ticks - 1))
    const duration = Math.max(1, Math.min(Math.round(timescale * MARK_SECONDS), ticks - start))
    return {
      keys: [[STILL_TIME_KEY, dataType(INT8)]],
      values: [Uint8Array.of(0xff)],
      start,
      durations: [duration],
    }
  }
}
