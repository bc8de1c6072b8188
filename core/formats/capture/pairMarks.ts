import { latin1 } from '@lantern-room/base/bytes'
import { movieOf, readMoov } from '@lantern-room/mp4'
import { childrenOf, readBoxes } from '@lantern-room/mp4/boxes'
import { type Reading, type Sized, take } from '@lantern-room/mp4/source'
import { readLiveMovie } from '../livePhoto/liveMovie'
import type { MotionPhoto } from '../motionPhoto/read'
import { type MovieTags, movieTagsOf } from './movieTags'
import { type PhotoClocks, readPhotoClocks } from './photoClocks'

/** By what a photo finds the video that belongs to it. */
export type StillMarks = {
  /** Apple's content identifier, or vivo's. */
  readonly identifier: string | undefined
  readonly clocks: PhotoClocks
}

/** By what a video finds its photo. */
export type MovieMarks = Pick<StillMarks, 'identifier'> & {
  /** The moment that the photo shows, in microseconds; undefined where the video does not say. */
  readonly stillTimeUs: number | undefined
  /** Its length; undefined of what is no MP4 or MOV, as is the next one. */
  readonly seconds: number | undefined
  readonly tags: MovieTags | undefined
}

/**
 * Reads by what a photo finds its video.
 * @param photo the file as `readPhoto` reads it
 * @example
 * const { identifier, clocks } = await readFrom(readStillMarks(source, photo), source)
 */
export function* readStillMarks(
  file: Sized,
  photo: Pick<MotionPhoto, 'exif' | 'samsung'>,
): Reading<StillMarks> {
  return {
    identifier: photo.exif?.contentIdentifier ?? (yield* readVivoId(file)),
    clocks: yield* readPhotoClocks(file, photo),
  }
}

/**
 * Reads by what a video finds its photo. Samples are not read.
 * @example
 * const { identifier, seconds } = await readFrom(readMovieMarks(source), source)
 */
export function* readMovieMarks(file: Sized): Reading<MovieMarks> {
  const { identifier, stillTimeUs } = yield* readLiveMovie(file)
  const { moov } = yield* readMoov(file)
  return {
    identifier: identifier ?? (yield* readVivoId(file)),
    stillTimeUs,
    seconds: moov && movieOf(moov.bytes).movie?.durationSeconds,
    tags: moov && movieTagsOf(childrenOf(readBoxes(moov.bytes) ?? [], 'moov')),
  }
}

/** Of vivo's trailer of a JPEG, or the box `uuid` at the end of its MP4. */
const VIVO_ID = /"com\.android\.camera\.livephoto"\s*:\s*"([\da-z]{8,64})"/i
const VIVO_BYTES = 64 * 1024

function* readVivoId(file: Sized): Reading<string | undefined> {
  const end = yield* take(file, Math.max(0, file.size - VIVO_BYTES), file.size)
  return VIVO_ID.exec(latin1(end))?.[1]
}
