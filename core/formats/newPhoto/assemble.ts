import { concatBytes, hasBytesAt } from '@lantern-room/base/bytes'
import type { Track } from '@lantern-room/mp4'
import { CLIP_FILE_TYPE, CLIP_PADDING, readMovie } from '@lantern-room/mp4'
import { readBoxes } from '@lantern-room/mp4/boxes'
import { FormatError } from '@lantern-room/mp4/source'
import { encodeExifSegment, type PhotoFields } from '../exif/exif'
import { placeMpfSegment } from '../exif/mpf'
import type { PhotoChange } from '../exif/photoChange'
import { stripJpeg } from '../jpeg/stripJpeg'
import { coverFrameOf, encodeHuaweiTail } from '../motionPhoto/huawei'
import type { MetadataLoss } from '../motionPhoto/metadataLoss'
import { CLIP_BLOCK_HEADER, encodeWrappedTrailer } from '../motionPhoto/samsung'
import { type ChangedProfile, type ProfileTraits, traitsOf } from '../profiles/profile'
import { encodeXmpSegment, gainMapItem, type XmpFields } from '../xmp/xmp'
import { brokenEquations } from './equations'

export type MotionPhotoParts = ChangedProfile &
  PhotoFields & {
    /** A JPEG, from SOI to EOI. Its metadata is dropped, but for its colour profile. */
    readonly cover: Uint8Array
    /** A JPEG as `encodeGainMap` makes it: the photo becomes an Ultra HDR image. */
    readonly gainMap?: Uint8Array | undefined
    /** An MP4 as `normalizeClip` makes it. */
    readonly clip: Uint8Array
    /** Which moment of the clip the cover shows: see `presentationTimestampUs`. */
    readonly presentationTimestampUs: number
    /** Of a photo's own metadata that `keepOwn` keeps: what else is changed in it. @default nothing */
    readonly own?: OwnMetadata | undefined
  }

export type OwnMetadata = Pick<PhotoChange, 'isDateGiven' | 'isZoneTold' | 'pixels'>

/** Writes the picture of a photo with its own metadata, to which the profile's is added. @returns undefined where that cannot be */
export type KeepOwn = (
  parts: MotionPhotoParts,
  traits: ProfileTraits,
  fields: XmpFields,
) => { readonly pieces: readonly Uint8Array[]; readonly lost: readonly MetadataLoss[] } | undefined

/**
 * Writes a motion photo: one JPEG file with a clip and a thumbnail, and the tags of each phone maker in the profile.
 * The finished file is read back, and every length and distance in it is checked.
 * @throws FormatError `invalid-part` when a part is not as described, or an equation does not hold
 * @see docs/motion-photo.md
 * @example
 * const photo = assembleMotionPhoto({
 *   profile: 'universal', cover, thumbnail, clip: clip.mp4, presentationTimestampUs: 1_500_000, software: 'Example 1.0'
 * })
 */
export function assembleMotionPhoto(parts: MotionPhotoParts): Uint8Array {
  return assembleWithMetadata(parts, undefined).file
}

/**
 * As `assembleMotionPhoto`, with what a photo says of itself.
 * @param keepOwn `keepOwnMetadata`, for the picture of a photo whose EXIF and XMP stay; undefined: they are dropped
 * @returns with the file, what could not be kept
 * @example
 * const { file, lost } = assembleWithMetadata({ ...parts, profile: 'google' }, keepOwnMetadata)
 */
export function assembleWithMetadata(
  parts: MotionPhotoParts,
  keepOwn: KeepOwn | undefined,
): { readonly file: Uint8Array; readonly lost: readonly MetadataLoss[] } {
  const video = checkClip(parts.clip, parts.presentationTimestampUs)

  const gainMap = parts.gainMap ?? new Uint8Array()
  const traits = traitsOf(parts)
  const { trailer } = traits
  const beforeClip = trailer === 'samsung' ? CLIP_BLOCK_HEADER : new Uint8Array()
  const afterClip = encodeTrailer(trailer, parts, video)
  const xmp: XmpFields = {
    profile: parts.profile,
    changes: parts.changes,
    presentationTimestampUs: parts.presentationTimestampUs,
    others: gainMap.length > 0 ? [gainMapItem(gainMap.length)] : [],
    paddingBytes: beforeClip.length,
    clipBytes: parts.clip.length,
    tailBytes: parts.clip.length + afterClip.length,
  }
  const own = keepOwn?.(parts, traits, xmp)
  const picture = own?.pieces ?? plainPicture(parts, traits, xmp)
  const file = concatBytes([...picture, gainMap, beforeClip, parts.clip, afterClip])

  const broken = brokenEquations(file, {
    profile: parts.profile,
    changes: parts.changes,
    clipBytes: parts.clip.length,
    gainMapBytes: gainMap.length,
    hasOwnMetadata: own !== undefined,
  })
  // Some metadata of the photo's own is read as something else.
  if (broken.length > 0 && own) return { file: assembleMotionPhoto(parts), lost: ['header'] }
  if (broken.length > 0) throw refusal(`does not hold: ${broken.join('; ')}`)
  return { file, lost: own?.lost ?? (keepOwn ? ['header'] : []) }
}

/** The picture with metadata that is written anew. */
function plainPicture(
  parts: MotionPhotoParts,
  traits: ProfileTraits,
  fields: XmpFields,
): readonly Uint8Array[] {
  const cover = stripJpeg(parts.cover)
  if (!cover) throw refusal('the cover is not a whole JPEG')
  const { bytes, frame, hasProfile } = cover
  const exif = encodeExifSegment({
    ...parts,
    width: frame.width,
    height: frame.height,
    hasProfile,
    xiaomiTag: traits.xiaomiTag,
    oppoComment: traits.oppoComment,
  })
  const before = concatBytes([bytes.subarray(0, 2), exif, encodeXmpSegment(fields)])
  const { length: gainMapBytes = 0 } = parts.gainMap ?? {}
  const hasMpf = traits.mpf || gainMapBytes > 0
  const mpf = hasMpf ? encodeMpf(before.length, bytes.length - 2, gainMapBytes) : new Uint8Array()
  return [before, mpf, bytes.subarray(2)]
}

/** @param start of the segment in the file @param rest bytes of the primary image after it */
function encodeMpf(start: number, rest: number, gainMapBytes: number): Uint8Array {
  const others = gainMapBytes > 0 ? gainMapBytes : undefined
  const end = start + placeMpfSegment(0, others, 0).length
  return placeMpfSegment(end + rest, others, end)
}

function encodeTrailer(
  trailer: ProfileTraits['trailer'],
  { clip, presentationTimestampUs }: MotionPhotoParts,
  { samples, durationSeconds }: Track,
): Uint8Array {
  if (trailer === undefined) return new Uint8Array()
  if (trailer === 'samsung') return encodeWrappedTrailer(clip.length)
  return encodeHuaweiTail(
    clip.length,
    coverFrameOf(presentationTimestampUs, { frames: samples.count, durationSeconds }),
  )
}

/** @returns the video track */
function checkClip(clip: Uint8Array, timestampUs: number): Track {
  const isNormalized =
    hasBytesAt(clip, 0, concatBytes([CLIP_FILE_TYPE, CLIP_PADDING])) &&
    readBoxes(clip)
      ?.map((box) => box.type)
      .join(' ') === 'ftyp free moov mdat'
  if (!isNormalized) throw refusal('the clip is not ftyp, free, moov, mdat')

  const { movie, problem } = readMovie(clip)
  if (!movie) throw refusal(`the clip is ${problem}`)
  const video = movie.tracks.find((track) => track.kind === 'video')
  if (!video) throw refusal('the clip has no video track')
  if (!Number.isSafeInteger(timestampUs) || timestampUs < 0 || timestampUs > video.durationSeconds * 1e6) {
    throw refusal(`${timestampUs} µs lie outside the clip`)
  }
  return video
}

function refusal(cause: string): FormatError {
  return new FormatError('invalid-part', 'The motion photo could not be written. Try again.', { cause })
}
