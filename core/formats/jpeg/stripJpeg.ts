import { asciiBytes, concatBytes, hasBytesAt, latin1 } from '@lantern-room/base/bytes'
import { EOI, encodeSegment, type JpegSegment, SOI, walkJpeg } from './jpeg'
import type { JpegFrame } from './jpegFrame'

export const APP0 = 0xe0
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef
const COM = 0xfe

export const JFIF_MARK = asciiBytes('JFIF\0')
/** Of a segment that holds a thumbnail. */
export const JFXX_MARK = asciiBytes('JFXX\0')
const ADOBE_MARK = asciiBytes('Adobe')
/** In Adobe's segment: how colours are coded; 1 is YCbCr. */
const ADOBE_TRANSFORM_AT = 15

/**
 * Returns the image with only what is needed to show it: no APPn, no comments, nothing after EOI.
 * Where the colours depend on a JFIF or Adobe segment, that one stays, and so does a colour profile.
 * @param options.keepsProfile false: without its profile. @default true
 * @returns undefined when the bytes are not one whole JPEG
 * @example
 * const plain = stripJpeg(jpeg, { keepsProfile: false })?.bytes
 */
export function stripJpeg(
  bytes: Uint8Array,
  { keepsProfile = true }: { readonly keepsProfile?: boolean } = {},
): { bytes: Uint8Array; frame: JpegFrame; hasProfile: boolean } | undefined {
  const jpeg = walkJpeg(bytes)
  if (!jpeg?.frame || jpeg.end === undefined) return undefined
  const { frame, segments } = jpeg
  const kept = neededSegments(bytes, frame, segments, keepsProfile)
  return {
    bytes: concatBytes(piecesOf(bytes, kept)),
    frame,
    hasProfile: kept.some((segment) => isProfile(bytes, segment)),
  }
}

/** The segments of an image without which it cannot be shown, with its profile or without. */
export function neededSegments(
  bytes: Uint8Array,
  frame: JpegFrame,
  segments: readonly JpegSegment[],
  keepsProfile: boolean,
): JpegSegment[] {
  const colourMarker = findColourMarker(bytes, frame, segments)
  const isKept = (segment: JpegSegment) =>
    segment === colourMarker || !isMetadata(segment.marker) || (keepsProfile && isProfile(bytes, segment))
  return segments.filter(isKept)
}

/** An image of these segments. */
export function piecesOf(bytes: Uint8Array, segments: readonly JpegSegment[]): Uint8Array[] {
  const parts = segments.map(({ start, end }) => bytes.subarray(start, end))
  return [Uint8Array.of(0xff, SOI), ...parts, Uint8Array.of(0xff, EOI)]
}

const PROFILE_MARK = asciiBytes('ICC_PROFILE\0')

/** Whether a segment has an ICC profile, or a part of one. @see ICC.1:2022, annex B.4 */
export function isProfile(bytes: Uint8Array, { marker, start, end }: JpegSegment): boolean {
  return marker === APP2 && hasBytesAt(bytes.subarray(start + 4, end), 0, PROFILE_MARK)
}

/** Bytes of a profile in one segment. */
const MAX_PROFILE_BYTES = 65_519

/**
 * A profile as segments of a JPEG, numbered from 1.
 * @returns none of a profile that is too large
 * @example
 * const segments = profileSegments(profile) // to follow SOI
 */
export function profileSegments(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / MAX_PROFILE_BYTES)
  if (count > 255) return []
  return Array.from({ length: count }, (_, i) => {
    const part = profile.subarray(i * MAX_PROFILE_BYTES, (i + 1) * MAX_PROFILE_BYTES)
    return encodeSegment(APP2, concatBytes([PROFILE_MARK, Uint8Array.of(i + 1, count), part]))
  })
}

/**
 * The segments of a photo that say something of it, for the pixels of another JPEG.
 * @param segments of the photo
 * @returns its profile only if that is one of RGB, which YCbCr is made of; whether it was left out
 */
export function carriedSegments(photo: Uint8Array, segments: readonly JpegSegment[]) {
  const said = segments.filter(({ marker }) => isMetadata(marker))
  const [profile] = said.filter((one) => isProfile(photo, one))
  const isKept =
    !profile || latin1(photo, profile.start + COLOURS_AT, profile.start + COLOURS_AT + 4) === 'RGB '
  const kept = said.filter((one) => isKept || !isProfile(photo, one))
  return { segments: kept.map((one) => asYcbcr(photo, one)), isProfileLost: !isKept }
}

/** Where the first segment of a profile says of which colours it is: after marker, length, mark and number. @see ICC.1:2022, 7.2.6 */
const COLOURS_AT = 4 + PROFILE_MARK.length + 2 + 16

function asYcbcr(photo: Uint8Array, { marker, start, end }: JpegSegment): Uint8Array {
  const copy = photo.slice(start, end)
  if (marker === APP14 && hasBytesAt(copy, 4, ADOBE_MARK) && copy.length > ADOBE_TRANSFORM_AT)
    copy[ADOBE_TRANSFORM_AT] = 1
  return copy
}

function isMetadata(marker: number): boolean {
  return marker === COM || (marker >= APP0 && marker <= APP15)
}

/**
 * The segment that a decoder needs to interpret the components' colours as it would with all segments: a JFIF segment
 * means YCbCr, an Adobe one names its transform, and without either the component ids decide.
 */
function findColourMarker(
  bytes: Uint8Array,
  frame: JpegFrame,
  segments: readonly JpegSegment[],
): JpegSegment | undefined {
  const find = (marker: number, mark: Uint8Array) =>
    segments.find((segment) => segment.marker === marker && hasBytesAt(bytes, segment.start + 4, mark))
  const jfif = find(APP0, JFIF_MARK)
  const adobe = find(APP14, ADOBE_MARK)
  if (frame.components.length === 4) return adobe
  if (frame.components.length !== 3) return undefined

  const isRgbById = frame.components.join() === '82,71,66'
  if (jfif) return isRgbById ? jfif : undefined
  const isRgbByAdobe = adobe && bytes[adobe.start + ADOBE_TRANSFORM_AT] === 0
  return adobe && isRgbByAdobe !== isRgbById ? adobe : undefined
}
