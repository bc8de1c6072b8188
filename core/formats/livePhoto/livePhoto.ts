import { concatBytes } from '@lantern-room/base/bytes'
import { stampTimes } from '@lantern-room/mp4'
import { FormatError } from '@lantern-room/mp4/source'
import type { Place } from '../exif/exif'
import { encodeExifSegment } from '../exif/exif'
import { encodeMakerNote, withIdentifier } from '../exif/makerNote'
import { readMakerNote } from '../exif/readExif'
import { exifOffset, isoTime, unixTimeOf, type WallClock } from '../exif/wallClock'
import { stripJpeg } from '../jpeg/stripJpeg'
import type { MetadataLoss } from '../motionPhoto/metadataLoss'
import type { MotionPhotoParts } from '../newPhoto/assemble'
import { changeOf, changeOwnHeader, type OwnHeader, sizeOf } from '../newPhoto/ownHeader'
import { encodeLiveMovie } from './liveMovie'
import { IDENTIFIER_KEY, type MetadataValue } from './metadataItems'
import { type Mark, stillMark } from './stillTimeTrack'

export type LivePhotoParts = Omit<MotionPhotoParts, 'profile'> & {
  /** A UUID in upper case, which only these two files have. */
  readonly identifier: string
  /** Whether the picture's own metadata stays: of a photo. @default false */
  readonly keepsMetadata?: boolean | undefined
  /** What the movie of a wallpaper has instead of the plain mark of the still, and in addition to its metadata. */
  readonly wallpaper?: Wallpaper | undefined
}

export type Wallpaper = {
  readonly marks: readonly Mark[]
  readonly metadata: readonly (readonly [key: string, value: MetadataValue])[]
}

/** The two files by which an iPhone knows a Live Photo. They must keep the same name. */
export type LivePhoto = {
  readonly still: Uint8Array
  readonly movie: Uint8Array
  /** What could not be kept of the picture's own metadata. */
  readonly lost: readonly MetadataLoss[]
}

/**
 * Writes a Live Photo: a JPEG and a QuickTime movie with one identifier.
 * @throws FormatError `invalid-part` when a part is not as described
 * @see docs/motion-photo.md, "Live Photo"
 * @example
 * const { still, movie } = assembleLivePhoto({ ...parts, identifier: crypto.randomUUID().toUpperCase() })
 */
export function assembleLivePhoto(parts: LivePhotoParts): LivePhoto {
  const { takenAt, wallpaper } = parts
  const marks = wallpaper?.marks ?? [stillMark(parts.presentationTimestampUs)]
  const own = parts.keepsMetadata ? ownStill(parts) : undefined
  const still = concatBytes(own?.pieces ?? plainStill(parts))
  const movie = encodeLiveMovie(parts.clip, marks, movieMetadata(parts))
  if (takenAt) stampTimes(movie, unixTimeOf(takenAt))
  return { still, movie, lost: own?.lost ?? [] }
}

/** The picture with its own metadata, and the identifier. */
function ownStill(parts: LivePhotoParts): OwnHeader | undefined {
  const { cover, identifier, orientation, takenAt, own, thumbnail } = parts
  let isNoteLost = false
  const header = changeOwnHeader(cover, changeOf({ orientation, takenAt, own }), {
    exif: (exif) => {
      const note = withIdentifier(readMakerNote(exif), identifier)
      isNoteLost = note === undefined
      return { isXiaomi: false, comment: undefined, makerNote: note ?? encodeMakerNote(identifier) }
    },
    xmp: (packet) => packet,
    mpf: 'absent',
    newExif: () => newExif(parts),
    thumbnail,
  })
  return header && { ...header, lost: [...header.lost, ...(isNoteLost ? (['maker-note'] as const) : [])] }
}

function plainStill(parts: LivePhotoParts): Uint8Array[] {
  const cover = stripJpeg(parts.cover)
  if (!cover) {
    throw new FormatError('invalid-part', 'The Live Photo could not be written. Try again.', {
      cause: 'the cover is not a whole JPEG',
    })
  }
  const { bytes } = cover
  return [bytes.subarray(0, 2), newExif(parts), bytes.subarray(2)]
}

function newExif(parts: LivePhotoParts): Uint8Array {
  const makerNote = encodeMakerNote(parts.identifier)
  return encodeExifSegment({ ...parts, ...sizeOf(parts.cover), makerNote })
}

function movieMetadata(parts: LivePhotoParts): Map<string, MetadataValue> {
  const { identifier, takenAt, place, maker, model, wallpaper } = parts
  const items = new Map<string, MetadataValue>([[IDENTIFIER_KEY, identifier], ...(wallpaper?.metadata ?? [])])
  if (takenAt) items.set('com.apple.quicktime.creationdate', quickTimeDate(takenAt))
  if (place) items.set('com.apple.quicktime.location.ISO6709', locationText(place))
  if (maker !== undefined) items.set('com.apple.quicktime.make', maker)
  if (model !== undefined) items.set('com.apple.quicktime.model', model)
  return items
}

/** `2026-03-04T05:06:07+0200` */
function quickTimeDate(time: WallClock): string {
  const offset = exifOffset(time) ?? ''
  return isoTime(time).slice(0, 19) + offset.replace(':', '')
}

/** `+48.1372+011.5755+519.000/` @see ISO 6709, annex H */
function locationText({ latitude, longitude, altitude }: Place): string {
  const signed = (value: number, digits: number, decimals: number) =>
    (value < 0 ? '-' : '+') +
    Math.abs(value)
      .toFixed(decimals)
      .padStart(digits + 1 + decimals, '0')
  const height = altitude === undefined ? '' : signed(altitude, 3, 3)
  return `${signed(latitude, 2, 4)}${signed(longitude, 3, 4)}${height}/`
}
