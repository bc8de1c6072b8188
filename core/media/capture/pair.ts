import { ServiceError, type Wording } from '@lantern-room/base'
import { shownName } from '@lantern-room/base/fields'
import type { MotionPhoto } from '@lantern-room/formats'
import { readMovieMarks, readStillMarks } from '@lantern-room/formats/video'
import type { Reading, Sized } from '@lantern-room/mp4/source'
import type { CaptureTime } from '../traits'
import { clocksOfMovie, timeOfMovie } from './readCapture'
import type { Clocks } from './tellTime'

/** What a photo or a video says by which the two of a pair find each other. */
export type PairMarks = {
  /** Apple's content identifier, or vivo's. */
  readonly identifier: string | undefined
  readonly time: CaptureTime | undefined
  /** What `tellTime` takes of it. */
  readonly clocks?: Partial<Pick<Clocks, 'photo' | 'video'>> | undefined
}

export type VideoMarks = PairMarks & {
  /** The moment that the photo shows; undefined where it does not say. */
  readonly stillTimeUs: number | undefined
  /** Undefined of what is no MP4 or MOV. */
  readonly seconds: number | undefined
}

/**
 * What of a photo tells its video.
 * @example await readFrom(readPhotoMarks(source, photo), source)
 */
export function* readPhotoMarks(
  file: Sized,
  photo: Pick<MotionPhoto, 'exif' | 'samsung'>,
): Reading<PairMarks> {
  const { identifier, clocks } = yield* readStillMarks(file, photo)
  return { identifier, time: clocks.time, clocks: { photo: clocks } }
}

/**
 * What of a video tells its photo.
 * @example await readFrom(readVideoMarks(source), source)
 */
export function* readVideoMarks(file: Sized): Reading<VideoMarks> {
  const { identifier, stillTimeUs, seconds, tags } = yield* readMovieMarks(file)
  return {
    identifier,
    stillTimeUs,
    seconds,
    time: tags && timeOfMovie(tags),
    clocks: tags && { video: clocksOfMovie(tags) },
  }
}

const MAX_SECONDS_APART = 3
/** Of a pair. */
export const MAX_VIDEO_SECONDS = 30

/**
 * Refuses a photo and a video that do not belong together: of different identifiers; without one on both, of different times; or
 * a video that is longer than phones record with a photo.
 * @throws ServiceError `unprocessable`
 * @example checkPair(photoMarks, videoMarks)
 */
export function checkPair(photo: PairMarks, video: VideoMarks): void {
  const { seconds = 0 } = video
  if (seconds > MAX_VIDEO_SECONDS) {
    const length = seconds.toFixed(1)
    throw strangers(`the video lasts ${length} s, and that of a pair at most ${MAX_VIDEO_SECONDS} s`)
  }
  if (photo.identifier !== undefined && video.identifier !== undefined) {
    if (photo.identifier === video.identifier) return
    const [own, other] = [photo.identifier, video.identifier].map(shownName)
    throw strangers(`their identifiers differ (${own}, ${other})`)
  }
  const apart = secondsApart(photo.time, video.time)
  if (apart !== undefined && apart > MAX_SECONDS_APART) {
    throw strangers(`they were taken ${Math.round(apart)} s apart, and have no identifier in common`)
  }
}

function strangers(why: string): ServiceError {
  const detail: Wording = (nameOf) => `${nameOf('photo')} and ${nameOf('file')} are no pair: ${why}.`
  return new ServiceError('unprocessable', detail)
}

/** By which zones differ. */
const ZONE_SECONDS = 15 * 60
const MAX_ZONE_SECONDS = 14 * 3600

/**
 * How many seconds two times are apart; where the zone of one is not known, in the zone that brings them closest.
 * @returns undefined where one is not known
 * @example secondsApart(photo.time, video.time) ?? 0
 */
export function secondsApart(
  photo: CaptureTime | undefined,
  video: CaptureTime | undefined,
): number | undefined {
  if (!photo || !video) return undefined
  const { offsetMinutes } = video
  const localMs = photo.isLocal && offsetMinutes !== undefined ? offsetMinutes * 60_000 : 0
  const apart = Math.abs(photo.unixMs - video.unixMs - localMs) / 1000
  if (!photo.isLocal || offsetMinutes !== undefined) return apart
  const zones = Math.min(Math.round(apart / ZONE_SECONDS) * ZONE_SECONDS, MAX_ZONE_SECONDS)
  return Math.abs(apart - zones)
}
