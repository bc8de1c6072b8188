import { asciiBytes, concatBytes, hasBytesAt } from '#core/bytes'
import { EOI, encodeSegment, type JpegSegment, SOI, walkJpeg } from './jpeg'
import type { JpegFrame } from './jpegFrame'

const APP0 = 0xe0
const APP2 = 0xe2
const APP14 = 0xee
const APP15 = 0xef
const COM = 0xfe

/**
 * Returns the image with only what is needed to show it: no APPn, no comments, nothing after EOI.
 * Where the colours depend on a JFIF or Adobe segment, that one stays, and so does a colour profile.
 * @param options.keepsProfile false: without its profile. Default true
 * @returns undefined when the bytes are not one whole JPEG
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

/** A profile as segments of a JPEG, numbered from 1. @returns none of a profile that is too large */
export function profileSegments(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / MAX_PROFILE_BYTES)
  if (count > 255) return []
  return Array.from({ length: count }, (_, i) => {
    const part = profile.subarray(i * MAX_PROFILE_BYTES, (i + 1) * MAX_PROFILE_BYTES)
    return encodeSegment(APP2, concatBytes([PROFILE_MARK, Uint8Array.of(i + 1, count), part]))
  })
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
  const find = (marker: number, text: string) =>
    segments.find(
      (segment) => segment.marker === marker && hasBytesAt(bytes, segment.start + 4, asciiBytes(text)),
    )
  const jfif = find(APP0, 'JFIF\0')
  const adobe = find(APP14, 'Adobe')
  if (frame.components.length === 4) return adobe
  if (frame.components.length !== 3) return undefined

  const isRgbById = frame.components.join() === '82,71,66'
  if (jfif) return isRgbById ? jfif : undefined
  const isRgbByAdobe = adobe && bytes[adobe.start + 15] === 0
  return adobe && isRgbByAdobe !== isRgbById ? adobe : undefined
}
