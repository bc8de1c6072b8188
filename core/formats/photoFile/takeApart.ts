import { movieOf, readMoov } from '@lantern-room/mp4'
import {
  type FileParts,
  type Reading,
  type Sized,
  shiftedParts,
  sizeOfParts,
  take,
  within,
} from '@lantern-room/mp4/source'
import { type PhotoClocks, readPhotoClocks } from '../capture/photoClocks'
import { extractClip, pictureOf } from '../existingPhoto/extract'
import { leftBehind } from '../existingPhoto/leftBehind'
import { findLivePair } from '../livePhoto/inspectLivePhoto'
import { readLiveMovie } from '../livePhoto/liveMovie'
import type { MetadataLoss } from '../motionPhoto/metadataLoss'
import { givenMomentUs } from '../motionPhoto/presentation'
import type { MotionPhoto } from '../motionPhoto/read'
import { isZip } from '../zip/zipDirectory'

/** The picture of a photo without its clip, but with its gain map and that by which an iPhone finds the clip. */
export type KeptPicture = {
  readonly parts: FileParts
  /** What of the photo is not in it. */
  readonly lost: readonly MetadataLoss[]
}

/** A motion photo or Live Photo, taken apart for a new one. */
export type TakenApart = {
  /** The video. */
  readonly clip: FileParts
  /** Its length in seconds; undefined where its index cannot be read. */
  readonly clipSeconds: number | undefined
  readonly clocks: PhotoClocks
  /** Undefined when it is cut or too large. */
  readonly picture: KeptPicture | undefined
  /** The moment of the video that the picture shows, in microseconds; undefined where the photo does not say. */
  readonly momentUs: number | undefined
}

/**
 * Takes a motion photo, or a ZIP with a Live Photo, apart: into its video and its own picture, of which a new photo is made.
 * @param maxPictureBytes of the picture with its gain map
 * @throws FormatError as `extractClip` and `findLivePair`
 * @example
 * const { clip, picture } = await readFrom(takeApart(source, 32 * 1024 * 1024), source)
 * for await (const piece of bytesOfParts(clip, source)) write(piece)
 */
export function* takeApart(file: Sized, maxPictureBytes: number): Reading<TakenApart> {
  if (isZip(yield* take(file, 0, 4))) return yield* takePairApart(file, maxPictureBytes)
  const { parts: clip, inspection } = yield* extractClip(file)
  const { photo, clip: facts } = inspection
  return {
    clip,
    clipSeconds: facts?.durationSeconds,
    clocks: yield* readPhotoClocks(file, photo),
    picture: yield* keptPicture(file, photo, maxPictureBytes),
    momentUs: givenMomentUs(photo, facts),
  }
}

function* takePairApart(file: Sized, maxPictureBytes: number): Reading<TakenApart> {
  const { photo, still, movie } = yield* findLivePair(file)
  const movieFile = { size: movie.size }
  const stillFile = { size: still.size }
  const { stillTimeUs } = yield* within(readLiveMovie(movieFile), movie.start)
  const { moov } = yield* within(readMoov(movieFile), movie.start)
  const picture = yield* within(keptPicture(stillFile, photo, maxPictureBytes), still.start)
  return {
    clip: [{ start: movie.start, end: movie.start + movie.size }],
    clipSeconds: moov && movieOf(moov.bytes).movie?.durationSeconds,
    clocks: yield* within(readPhotoClocks(stillFile, photo), still.start),
    picture: picture && { parts: shiftedParts(picture.parts, still.start), lost: picture.lost },
    momentUs: stillTimeUs,
  }
}

/**
 * The picture of a photo for a new one, and what of the photo is not in it.
 * @param photo the file as `readPhoto` reads it
 * @param maxBytes of the picture with its gain map
 * @returns undefined when it is cut or too large
 * @example
 * const kept = await readFrom(keptPicture(source, photo, 32 * 1024 * 1024), source)
 * const jpeg = kept && (await joinParts(kept.parts, source))
 */
export function* keptPicture(
  file: Sized,
  photo: MotionPhoto,
  maxBytes: number,
): Reading<KeptPicture | undefined> {
  const parts = yield* pictureOf(file, photo, { identifier: true, rest: false })
  if (!parts || sizeOfParts(parts) > maxBytes) return undefined
  return { parts, lost: yield* leftBehind(file, photo, parts) }
}
