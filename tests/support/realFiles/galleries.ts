import { clipAt, type Judge, NO_MOTION_PHOTO } from './opinion'

// Programs that know a file by exiftool's tags, and one that searches by itself.

/** exiftool itself: what it takes out begins where the clip does. */
export const exiftool: Judge = (file, facts) => {
  const video = facts.motionPhotoVideo ?? facts.embeddedVideoFile
  return { isMotionPhoto: video !== undefined, clipStart: video && file.indexOf(video) }
}

const BATCH = 128 * 1024
const PHOTOPRISM_BRANDS = new Set(
  'qt  |isom|iso2|iso3|iso4|iso5|iso6|iso7|iso8|iso9|avc1|hev1|hvc1|av01|av1C|mmp4|mp4v|mp41|mp42|mp71'.split(
    '|',
  ),
)

/**
 * Marked by any of four tags of exiftool; the clip begins at the first `ftyp` of a video in each 128 KiB.
 * @see photoprism/photoprism, internal/meta/data.go and pkg/media/video/chunks.go
 */
export const photoPrism: Judge = (file, facts) => {
  const isMarked = Boolean(
    facts.motionPhotoVideo ?? facts.embeddedVideoFile ?? facts.MotionPhoto ?? facts.MicroVideo,
  )
  if (!isMarked) return NO_MOTION_PHOTO
  for (let from = 0; from < file.length; from += BATCH) {
    const at = file.subarray(from, from + BATCH).indexOf('ftyp', 0, 'latin1')
    const brand = file.toString('latin1', from + at + 4, from + at + 8)
    if (at >= 4 && PHOTOPRISM_BRANDS.has(brand)) return { isMotionPhoto: true, clipStart: from + at - 4 }
  }
  return NO_MOTION_PHOTO
}

/**
 * Prefers what exiftool takes out; else goes by the lengths in XMP. A file without a video is one it fails at.
 * @see immich-app/immich, server/src/services/metadata.service.ts, applyMotionPhotos
 */
export const immich: Judge = (file, facts) => {
  const item = (facts.ContainerDirectory ?? [])
    .map(({ Item }) => Item)
    .find((candidate) => candidate?.Semantic === 'MotionPhoto')
  const byDirectory = facts.MotionPhoto ? item : undefined
  const length = (facts.MicroVideo ? facts.MicroVideoOffset : undefined) ?? byDirectory?.Length ?? 0
  if (facts.motionPhotoVideo) return clipAt(file, file.indexOf(facts.motionPhotoVideo))
  if (facts.EmbeddedVideoType === 'MotionPhoto_Data' && facts.embeddedVideoFile)
    return clipAt(file, file.indexOf(facts.embeddedVideoFile))
  return length > 0 ? clipAt(file, file.length - length - (byDirectory?.Padding ?? 0)) : NO_MOTION_PHOTO
}

const ENTE_HEAD = Buffer.from('00000018667479706d70343200000000', 'hex')

/**
 * Searches for the head of an MP4 of one brand; else goes by the last `Item:Length`, then `MicroVideoOffset`.
 * @see ente-io/motion_photos, lib/src/main.dart and lib/src/helpers.dart
 */
export const ente: Judge = (file, facts) => {
  const at = file.indexOf(ENTE_HEAD)
  if (at >= 0) return { isMotionPhoto: true, clipStart: at }
  const length = (facts.ContainerDirectory ?? []).at(-1)?.Item?.Length
  const isMarked = facts.MotionPhoto !== undefined
  if (length !== undefined && (length * 2 >= file.length || isMarked))
    return clipAt(file, file.length - length)
  return facts.MicroVideoOffset === undefined
    ? NO_MOTION_PHOTO
    : clipAt(file, file.length - facts.MicroVideoOffset)
}
