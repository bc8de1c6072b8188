import { asciiBytes, concatBytes, hasBytesAt } from '#core/bytes'
import { EOI, type JpegFrame, type JpegSegment, SOI, walkJpeg } from './jpeg'

const APP0 = 0xe0
const APP14 = 0xee
const APP15 = 0xef
const COM = 0xfe

/**
 * The same image with only what is needed to decode it: no APPn, no comments, nothing after EOI.
 * Where the colours depend on a JFIF or Adobe segment, that one stays.
 * @returns undefined when the bytes are not one whole JPEG
 */
export function stripJpeg(bytes: Uint8Array): { bytes: Uint8Array; frame: JpegFrame } | undefined {
  const jpeg = walkJpeg(bytes)
  if (!jpeg?.frame || jpeg.end === undefined) return undefined
  const { frame, segments } = jpeg
  const colourMarker = findColourMarker(bytes, frame, segments)
  const kept = segments.filter((segment) => segment === colourMarker || !isMetadata(segment.marker))
  const parts = kept.map((segment) => bytes.subarray(segment.start, segment.end))
  return {
    bytes: concatBytes([Uint8Array.of(0xff, SOI), ...parts, Uint8Array.of(0xff, EOI)]),
    frame,
  }
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
