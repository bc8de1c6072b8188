import { concatBytes, hasBytesAt } from '@lantern-room/base/bytes'
import { piecesOfParts } from '@lantern-room/mp4/source'
import { exifChanges } from '../exif/changeExif'
import { encodeExifSegment } from '../exif/exif'
import { type ExifMarks, patchExif } from '../exif/patchExif'
import type { PhotoChange } from '../exif/photoChange'
import { APP13, changePhotoshop, PHOTOSHOP_MARK } from '../exif/photoshop'
import { readExif } from '../exif/readExif'
import { APP1, encodeSegment, type JpegSegment, segmentPayload, walkJpeg } from '../jpeg/jpeg'
import { APP0, carriedSegments, JFIF_MARK, JFXX_MARK, stripJpeg } from '../jpeg/stripJpeg'
import { commentFor } from '../motionPhoto/galleries'
import {
  changeHeader,
  fitsExif,
  type HeaderChange,
  headerOf,
  MAX_XMP_BYTES,
} from '../motionPhoto/imageHeader'
import type { MetadataLoss } from '../motionPhoto/metadataLoss'
import { changeXmp } from '../xmp/changeXmp'
import { patchXmp, withoutSpaces } from '../xmp/patchXmp'
import { XMP_NAMESPACES, xmpPacket } from '../xmp/xmp'
import type { KeepOwn, OwnMetadata } from './assemble'

/** A photo's own metadata in which a motion photo's is, and what could not be kept of it. */
export type OwnHeader = { readonly pieces: readonly Uint8Array[]; readonly lost: readonly MetadataLoss[] }

export type OwnMarks = {
  /** What a photo of the profile has in EXIF. */
  readonly exif: (exif: Uint8Array) => Omit<ExifMarks, 'changesOf' | 'thumbnail' | 'orientation'>
  /** The packet with the properties of the profile. @returns undefined where the packet has no place for them */
  readonly xmp: (packet: string | undefined) => string | undefined
  readonly mpf: HeaderChange['mpf']
  /** A whole segment of EXIF for a photo without. */
  readonly newExif: () => Uint8Array
  /** A JPEG of the picture as it is now. */
  readonly thumbnail: Uint8Array
}

/** The picture of a motion photo with the metadata of the photo that it was. */
export const keepOwnMetadata: KeepOwn = (parts, traits, fields) => {
  const { cover, gainMap, orientation = 1, takenAt, own } = parts
  const strangers = [
    ...(traits.vivoFields ? [] : [XMP_NAMESPACES.VCamera]),
    ...(traits.oppoFields ? [] : [XMP_NAMESPACES.OpCamera]),
  ]
  return changeOwnHeader(cover, changeOf({ orientation, takenAt, own }), {
    exif: (exif) => ({
      isXiaomi: traits.xiaomiTag,
      comment: traits.oppoComment ? commentFor(readExif(exif)?.userComment) : undefined,
    }),
    xmp: (packet) =>
      packet === undefined ? xmpPacket(fields) : patchXmp(withoutSpaces(packet, strangers), fields),
    mpf: gainMap?.length || (traits.mpf ? 0 : 'absent'),
    newExif: () =>
      encodeExifSegment({
        ...parts,
        ...sizeOf(cover),
        xiaomiTag: traits.xiaomiTag,
        oppoComment: traits.oppoComment,
      }),
    thumbnail: parts.thumbnail,
  })
}

/** What is changed of a photo that becomes one of these parts. */
export function changeOf({
  orientation = 1,
  takenAt,
  own,
}: {
  readonly orientation?: number | undefined
  readonly takenAt: PhotoChange['takenAt']
  readonly own?: OwnMetadata | undefined
}): PhotoChange {
  return {
    orientation,
    takenAt,
    isDateGiven: own?.isDateGiven ?? false,
    isZoneTold: own?.isZoneTold ?? false,
    pixels: own?.pixels,
  }
}

/** For EXIF that is written anew. */
export function sizeOf(jpeg: Uint8Array) {
  const { frame, hasProfile = false } = stripJpeg(jpeg) ?? {}
  return { width: frame?.width ?? 0, height: frame?.height ?? 0, hasProfile }
}

/**
 * A photo whose metadata is changed in its place. What cannot be kept is named.
 * @param jpeg from SOI to EOI
 * @returns its pieces; undefined when it is no whole JPEG
 */
export function changeOwnHeader(
  jpeg: Uint8Array,
  change: PhotoChange,
  marks: OwnMarks,
): OwnHeader | undefined {
  const header = headerOf(jpeg)
  const exif = changeOwnExif(header.metadata.exif, change, marks)
  const xmp = changeOwnXmp(header.metadata.xmp, change, marks)
  const lost: MetadataLoss[] = [...exif.lost, ...xmp.lost]
  const parts = changeHeader(header, jpeg.length, {
    exif: exif.bytes,
    xmp: xmp.packet,
    mpf: marks.mpf,
    others: (segment) => {
      const other = changeOther(jpeg, segment, change, lost)
      if (!isShorter(segment, other)) return other
      lost.push('thumbnail')
      return other
    },
  })
  return parts && { pieces: piecesOfParts(parts, jpeg), lost }
}

function changeOwnExif(exif: Uint8Array | undefined, change: PhotoChange, marks: OwnMarks) {
  const patched = exif && patchOwnExif(exif, change, marks)
  if (patched) return patched
  const lost: readonly MetadataLoss[] = exif ? ['exif'] : []
  return { bytes: marks.newExif().subarray(EXIF_START), lost }
}

/** Marker, length, mark. */
const EXIF_START = 10

/** The thumbnail is another one where the pixels are, or where there is no room for the old one. */
function patchOwnExif(exif: Uint8Array, change: PhotoChange, { exif: marksOf, thumbnail }: OwnMarks) {
  const small = stripJpeg(thumbnail, { keepsProfile: false })?.bytes ?? ('none' as const)
  const forms = [
    ...(change.pixels ? [] : [{ shown: undefined, usesGap: false }]),
    { shown: small, usesGap: false },
    { shown: small, usesGap: true },
    { shown: 'none' as const, usesGap: true },
  ]
  for (const { shown, usesGap } of forms) {
    const bytes = patchExif(exif, {
      ...marksOf(exif),
      orientation: change.orientation,
      changesOf: (directories) => exifChanges(change, directories),
      thumbnail: shown,
      usesGap,
    })
    if (!bytes) return undefined
    const isLost = shown === 'none' && readExif(exif)?.thumbnail !== undefined
    const lost: readonly MetadataLoss[] = isLost ? ['thumbnail'] : []
    if (fitsExif(bytes, exif)) return { bytes, lost }
  }
  return undefined
}

function changeOwnXmp(packet: string | undefined, change: PhotoChange, marks: OwnMarks) {
  const changed = packet === undefined ? undefined : changeXmp(packet, change)
  const marked = changed && withinLimit(marks.xmp(changed.packet))
  if (marked !== undefined || !changed)
    return { packet: marked ?? marks.xmp(undefined), lost: changed?.lost ?? [] }
  return { packet: marks.xmp(undefined), lost: ['xmp'] as const }
}

/** A packet without its filling if it has no room otherwise. */
function withinLimit(packet: string | undefined): string | undefined {
  if (packet === undefined) return undefined
  const short = bytesOf(packet) > MAX_XMP_BYTES ? packet.replace(/\s+(?=<\?xpacket end)/, '\n') : packet
  return bytesOf(short) > MAX_XMP_BYTES ? undefined : short
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}

const EXTENDED_XMP_MARK = new TextEncoder().encode('http://ns.adobe.com/xmp/extension/\0')

/** @returns the segment as it is to be; undefined: it goes; the segment itself: as it is */
function changeOther(
  jpeg: Uint8Array,
  segment: JpegSegment,
  change: PhotoChange,
  lost: readonly MetadataLoss[],
): Uint8Array | JpegSegment | undefined {
  const payload = segmentPayload(jpeg, segment)
  if (segment.marker === APP13 && hasBytesAt(payload, 0, PHOTOSHOP_MARK)) {
    const changed = changePhotoshop(payload, change)
    return changed === payload ? segment : encodeSegment(APP13, changed)
  }
  const isDepth = lost.includes('depth') && segment.marker === APP1
  if (isDepth && hasBytesAt(payload, 0, EXTENDED_XMP_MARK)) return undefined
  if (!change.pixels || segment.marker !== APP0) return segment
  if (hasBytesAt(payload, 0, JFXX_MARK)) return undefined
  return hasBytesAt(payload, 0, JFIF_MARK) ? encodeSegment(APP0, withoutJfifThumbnail(payload)) : segment
}

/** Whether a segment has got shorter by a small picture: those of Photoshop and JFIF are not made anew. */
function isShorter(
  { marker, start, end }: JpegSegment,
  changed: Uint8Array | JpegSegment | undefined,
): boolean {
  const bytes = changed instanceof Uint8Array ? changed.length : changed ? end - start : 0
  return (marker === APP13 || marker === APP0) && bytes < end - start
}

/** Before the thumbnail: mark, version, unit, densities, its width and height. @see JFIF 1.02 */
const JFIF_BYTES = 14

function withoutJfifThumbnail(payload: Uint8Array): Uint8Array {
  const plain = payload.slice(0, JFIF_BYTES)
  plain.fill(0, JFIF_BYTES - 2)
  return plain
}

/**
 * Puts the metadata of a photo before the pixels of another JPEG: all that can be said of those, too.
 * @param photo from SOI to EOI
 * @param pixels YCbCr
 * @example
 * const { jpeg, lost } = carryHeader(photo, cropped)
 */
export function carryHeader(
  photo: Uint8Array,
  pixels: Uint8Array,
): { readonly jpeg: Uint8Array; readonly lost: readonly MetadataLoss[] } {
  const { segments, isProfileLost } = carriedSegments(photo, walkJpeg(photo, true)?.segments ?? [])
  const plain = stripJpeg(pixels, { keepsProfile: false })?.bytes ?? pixels
  const jpeg = concatBytes([plain.subarray(0, 2), ...segments, plain.subarray(2)])
  return { jpeg, lost: isProfileLost ? ['profile'] : [] }
}
